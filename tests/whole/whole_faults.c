/* Lets a chosen call that changes a file below a folder fail, as a full or broken disk would.

   Loaded before all other libraries (LD_PRELOAD). `faults_arm` chooses the folder, the call (counted from 1), the
   error, and whether all later calls fail too; `faults_count` says how many calls there were. Nothing fails before. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096];
static size_t folder_length;
static long at, count;
static int error, lasting, half;

void faults_arm(const char *where, long which, int number, int stays, int cut) {
    strncpy(folder, where, sizeof folder - 1);
    folder_length = strlen(folder);
    at = which;
    error = number;
    lasting = stays;
    half = cut;
    count = 0;
}

long faults_count(void) { return count; }

void faults_disarm(void) { folder_length = 0; }

static int ours(const char *path) {
    return folder_length && path && !strncmp(path, folder, folder_length);
}

static int ours_open(int file) {
    char name[64], path[4096];
    if (!folder_length) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return ours(path);
}

/* Whether this call fails: 1 with the error, 2 after half of the work. */
static int fails(void) {
    long now = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (!at || now < at || (now > at && !lasting && !(half && now == at + 1))) return 0;
    if (half && now == at) return 2;
    errno = error;
    return 1;
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define WRITES(name, place_type)                                                                      \
    ssize_t name(int file, const void *data, size_t size, place_type place) {                         \
        REAL(name);                                                                                   \
        int how = ours_open(file) ? fails() : 0;                                                      \
        return how == 1 ? -1 : real(file, data, how == 2 && size > 1 ? size / 2 : size, place);       \
    }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

ssize_t write(int file, const void *data, size_t size) {
    REAL(write);
    int how = ours_open(file) ? fails() : 0;
    return how == 1 ? -1 : real(file, data, how == 2 && size > 1 ? size / 2 : size);
}

#define FLUSHES(name)                                                                                 \
    int name(int file) {                                                                              \
        REAL(name);                                                                                   \
        return ours_open(file) && fails() == 1 ? -1 : real(file);                                     \
    }
FLUSHES(fsync)
FLUSHES(fdatasync)

#define CUTS(name, size_type)                                                                         \
    int name(int file, size_type size) {                                                              \
        REAL(name);                                                                                   \
        return ours_open(file) && fails() == 1 ? -1 : real(file, size);                               \
    }
CUTS(ftruncate, off_t)
CUTS(ftruncate64, off64_t)

int rename(const char *from, const char *to) {
    REAL(rename);
    return ours(to) && fails() == 1 ? -1 : real(from, to);
}

#define OPENS(name)                                                                                   \
    int name(const char *path, int flags, ...) {                                                      \
        REAL(name);                                                                                   \
        mode_t mode = 0;                                                                              \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                          \
            va_list more;                                                                             \
            va_start(more, flags);                                                                    \
            mode = va_arg(more, mode_t);                                                              \
            va_end(more);                                                                             \
        }                                                                                             \
        if ((flags & O_CREAT) && ours(path) && access(path, F_OK) && fails() == 1) return -1;         \
        return real(path, flags, mode);                                                               \
    }
OPENS(open)
OPENS(open64)
