"""Plain measures and readers for the demo's tests: words, similarity, containment, texts of files."""

from __future__ import annotations

import email
import email.policy
import json
import re
from pathlib import Path
from typing import Any

from kreuzberg import ExtractionConfig, PageConfig, extract_bytes_sync
from rapidfuzz.distance import Levenshtein

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def similarity(a: list[str], b: list[str]) -> float:
    return 100 * Levenshtein.normalized_similarity(a, b)


def shingles(text: list[str]) -> set[tuple[str, ...]]:
    return {tuple(text[place : place + 3]) for place in range(len(text) - 2)}


def containment(a: set[tuple[str, ...]], b: set[tuple[str, ...]]) -> float:
    return 100 * len(a & b) / min(len(a), len(b))


def extracted(name: str, content: bytes) -> str:
    """The text of a file; a PDF's page by page, because kreuzberg repeats what it takes for a table."""
    if name.endswith(".pdf"):
        paged = ExtractionConfig(pages=PageConfig(extract_pages=True))
        pages: Any = extract_bytes_sync(content, "application/pdf", config=paged).pages
        return "\n".join(page["content"] for page in pages)
    if name.endswith(".docx"):
        return str(extract_bytes_sync(content, DOCX).content)
    if name.endswith(".eml"):
        message = email.message_from_bytes(content, policy=email.policy.default)
        body = message.get_body(("plain",))
        assert body is not None
        return f"{message['From']}\n{message['To']}\n{message['Subject']}\n{body.get_content()}"
    return content.decode()


def read_truth(path: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return result


def content_of(folder: Path, path: str) -> bytes:
    """The bytes of a file or of an attachment, `mail.eml/name`."""
    file = folder / path
    if file.exists():
        return file.read_bytes()
    message = email.message_from_bytes(file.parent.read_bytes(), policy=email.policy.default)
    parts = [part for part in message.iter_attachments() if part.get_filename() == file.name]
    content = parts[0].get_payload(decode=True)
    assert isinstance(content, bytes)
    return content
