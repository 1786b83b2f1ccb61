// Leads from change to change. The page reads the same without it.
"use strict";
(() => {
  const text = document.querySelector(".text");
  const bar = document.querySelector(".scripted-only");
  if (!bar) return;
  bar.hidden = false;
  // A replacement is a deletion and an insertion side by side: one stop.
  const changes = [...text.querySelectorAll("ins, del, .come, .gone")].filter((one) => {
    const before = one.previousSibling;
    return !(before && before.nodeType === 1 && before.matches("del") && one.matches("ins"));
  });
  const layouts = [...text.querySelectorAll(".layout")];
  const box = document.getElementById("layout");
  let at = -1;
  const go = (step) => {
    const stops = changes.length ? changes : layouts;
    if (!stops.length) return;
    stops[at]?.classList.remove("now");
    at = (at + step + stops.length) % stops.length;
    if (at < 0) at = 0;
    const one = stops[at];
    const fold = one.closest("details");
    if (fold) fold.open = true;
    one.classList.add("now");
    one.scrollIntoView({ block: "center" });
  };
  const next = () => go(1);
  const previous = () => go(at < 0 ? 0 : -1);
  document.getElementById("next").addEventListener("click", next);
  document.getElementById("previous").addEventListener("click", previous);
  const unfold = document.getElementById("unfold");
  const folds = [...text.querySelectorAll("details.fold")];
  unfold.hidden = folds.length === 0;
  unfold.addEventListener("click", () => {
    const open = folds.some((one) => !one.open);
    folds.forEach((one) => { one.open = open; });
    unfold.textContent = open ? "changes only" : "whole text";
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") next();
    else if (event.key === "p") previous();
    else if (event.key === "l" && box) box.checked = !box.checked;
  });
})();
