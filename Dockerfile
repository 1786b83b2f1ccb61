# truecopy in a container: `docker build -t truecopy .`, then `docker run --rm --network none truecopy` runs the demo.
# How to scan documents of your own: docs/howto/run-in-a-container.md
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/truecopy
ENV PATH=/opt/truecopy/bin:$PATH
WORKDIR /source
# Every version is pinned and checked against its hash; this layer is made anew only when the pins change.
COPY requirements/run.lock requirements/run.lock
RUN pip install --require-hashes -r requirements/run.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip install --no-deps --no-build-isolation .

FROM python:${PYTHON}-slim
# Packages of an OCR engine, for `--ocr`: docker build --build-arg OCR="tesseract-ocr tesseract-ocr-deu" -t truecopy .
ARG OCR=""
# Its version is that of the base image's distribution, which drops older ones.
# hadolint ignore=DL3008
RUN if [ -n "$OCR" ]; then \
      apt-get update && apt-get install -y --no-install-recommends $OCR && rm -rf /var/lib/apt/lists/*; \
    fi
# Nothing in it needs more rights than these; /matters is where matters are kept, /work is where commands run.
RUN useradd --create-home --uid 10001 truecopy && install -d -o truecopy -g truecopy /matters /work
COPY --from=build /opt/truecopy /opt/truecopy
ENV PATH=/opt/truecopy/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
WORKDIR /work
# Kernels are compiled now and not by the first scan; a processor of another kind compiles them once more.
RUN python -c "from truecopy.prepare import prepare; prepare()"
ENTRYPOINT ["truecopy"]
CMD ["demo", "/matters/room", "--scan"]
