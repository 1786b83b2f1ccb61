"""Whatever the bytes are, decoding gives valid UTF-8 or nothing, says how sure it is, and takes linear time."""

from __future__ import annotations

import random
import time

import pytest
from encoding_samples import ENCODINGS, OWN, own_lines

from truecopy.read.decode import declared_text, read_text
from truecopy.read.encodings.mixed import mixed
from truecopy.read.encodings.pages import RARITY, decoded
from truecopy.read.mailboxes import messages

SEED = 20_262
NAMES = (
    *sorted({name for names in ENCODINGS.values() for name in names}),
    "utf-8",
    "utf-7",
    "utf-16-le",
    "no-such",
    "",
)


def forged(generator: random.Random) -> bytes:
    """Random bytes, texts in random encodings, mixtures of them, cut off or damaged."""
    language = generator.choice(sorted(OWN))
    lines = generator.sample(own_lines(language), generator.randrange(1, 6))
    parts = []
    for line in lines:
        encoding = generator.choice((*ENCODINGS[language], "utf-8", "utf-16-le", "utf-7", "utf-32-be"))
        parts.append(line.encode(encoding, "replace")[: generator.randrange(1, 200)])
        if generator.random() < 0.3:
            parts.append(generator.randbytes(generator.randrange(1, 12)))
        if generator.random() < 0.2:
            parts.append(bytes([generator.randrange(32)]) * generator.randrange(1, 40))
    data = bytearray(generator.choice((b"\n", b"", b"\0", b"\x1f", b"\xfe\x14\xfe")).join(parts))
    if generator.random() < 0.2:
        data = bytearray(generator.randbytes(generator.randrange(400)))
    for _ in range(generator.randrange(4)):
        if data:
            data[generator.randrange(len(data))] = generator.randrange(256)
    return bytes(data)


def holds(data: bytes, generator: random.Random) -> None:
    """Decode in every way, and check what comes back."""
    for found in (
        read_text(data),
        read_text(data, given=generator.choice(tuple(RARITY))),
        declared_text(data, generator.choice(NAMES)),
    ):
        if found is not None:
            found.text.decode()
            assert not found.text.startswith(b"\xef\xbb\xbf") or data.startswith(b"\xef\xbb\xbf\xef\xbb\xbf")
            assert 0 <= found.confidence <= 100
            assert found.encoding
            if "\ufffd" in found.text.decode() and "\ufffd".encode() not in data:
                assert found.doubt, found.encoding
    again = read_text(data)
    assert again == read_text(data)


@pytest.mark.parametrize("trials", [150, pytest.param(10_000, marks=pytest.mark.soak)])
def test_forged_bytes_never_break_decoding(trials: int) -> None:
    """No error, valid UTF-8, a stated doubt for each character that was lost."""
    generator = random.Random(SEED)
    for trial in range(trials):
        data = forged(generator)
        try:
            holds(data, generator)
        except Exception as error:
            raise AssertionError(f"seed {SEED}, trial {trial}: {data!r}") from error


def seconds(data: bytes) -> float:
    """CPU seconds to decode, the best of three."""
    taken = []
    for _ in range(3):
        start = time.process_time()
        read_text(data)
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.alone
@pytest.mark.parametrize(
    "unit",
    [
        b"text \x81\x8d\x8f\x90\x9d ",
        b"\x81",
        b"\xe9t\xe9 ",
        "été ".encode() + b"\xe9t\xe9 ",
        b"\xff\xfe\xfd",
        b"\x83\x41\x81",
        b"+AOk-t+AOk- ",
        b"+",
        b"\xfe\x14",
        b"\xfea\xfe\x14\xfe\xe9\xfe\r\n",
        b"a\0\x1f\xe9",
        b"\n\xe9",
        b"\x81\x40\x40\xc8",
        b"words and words " * 300 + b"\xe9\n",
        b"words and words " * 4_000 + b"\xe9\n",
    ],
)
def test_decoding_takes_time_in_proportion_to_the_length(unit: bytes) -> None:
    """Twice the bytes take about twice as long: bytes without meaning in a page, strays, blocks, controls."""
    once, twice = (unit * (size // len(unit)) for size in (1 << 20, 1 << 21))
    seconds(once)
    assert seconds(twice) < 3 * seconds(once) + 0.05


@pytest.mark.alone
def test_bytes_without_meaning_are_decoded_in_one_pass() -> None:
    """1.6 MB of them took more than a minute, square in their number; now a second is far more than it takes."""
    head = "Die Vergütung für Öl und Gas beträgt fünf Euro.\n".encode("cp1252") * 300
    data = head + b"a\x81 " * 530_000
    start = time.process_time()
    found = read_text(data)
    assert found is not None
    assert time.process_time() - start < 2
    assert len(decoded(data, "cp1252")) == len(data)
    assert len(mixed(data, "cp1252")) == len(data)


@pytest.mark.alone
def test_valid_utf_8_costs_no_more_than_the_check() -> None:
    """Clean UTF-8 is not looked at twice: reading it is hardly more than checking it."""
    data = ("Der Mieter trägt die Kosten für Strom und Gas; “Vergütung” – § 5.\n" * 40_000).encode()

    def checked(data: bytes) -> float:
        start = time.process_time()
        data.isascii()
        data.decode()
        return time.process_time() - start

    def read(data: bytes) -> float:
        start = time.process_time()
        found = read_text(data)
        assert found is not None
        assert found.text is data
        return time.process_time() - start

    assert min(read(data) for _ in range(7)) < 1.5 * min(checked(data) for _ in range(7)) + 0.002


@pytest.mark.alone
def test_a_line_of_a_mailbox_with_many_times_is_matched_in_one_pass() -> None:
    """Lines that begin like a message's and hold nothing but times took 20 ms each, 400 of them eight seconds."""
    import io

    data = b"\n" + (b"From a" + b"00:0000" * 170 + b"\n") * 400
    start = time.process_time()
    assert len(list(messages(io.BytesIO(data), 1 << 20))) >= 1
    assert time.process_time() - start < 2
