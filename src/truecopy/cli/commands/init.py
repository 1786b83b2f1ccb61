"""`truecopy init`: an empty matter, to be filled in waves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truecopy.cli import options, summary
from truecopy.cli.reply import Reply
from truecopy.hints import pasted

if TYPE_CHECKING:
    from rich.console import Console


def init(
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    threshold: options.NewThreshold = 80.0,
    floor: options.Floor = None,
    recall: options.Recall = None,
    rule: options.Rule = "longest",
    principals: options.Principals = None,
    access: options.NewAccess = "private",
    json: options.Json = False,
) -> Reply:
    """Make an empty matter, to be filled in waves by truecopy add.

    \b
    Example:
      truecopy init --matter acme --threshold 85
    """
    import truecopy as tc

    made = tc.create(
        matter,
        threshold=threshold,
        floor=floor,
        recall=recall,
        rule=rule,
        given=options.principals_from(principals),
        access=access,
    )
    settings = made.settings
    data = {
        "matter": str(made.path),
        "threshold": settings.threshold,
        "floor": settings.floor,
        "recall": settings.recall,
        "rule": settings.rule,
    }

    def show(console: Console) -> None:
        summary.print_note(console, f"The matter {made.path} is ready.")
        summary.print_command(console, "Add documents with", pasted("add", "PATH", matter=made.path))

    return Reply(data, show, as_json=json)
