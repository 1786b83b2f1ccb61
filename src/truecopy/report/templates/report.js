// Filters the group list and opens or closes redlines. The report reads the same without it.
"use strict";
(() => {
  const find = (selector, root = document) => [...root.querySelectorAll(selector)];
  document.documentElement.classList.add("scripted");

  const groups = find("details.group");
  const box = document.getElementById("filter");
  const kind = document.getElementById("filter-kind");
  const told = document.getElementById("filter-told");
  let names = null;

  const words = (group) =>
    find(".id, .path", group).map((one) => one.textContent).join(" ").toLowerCase();

  const filter = () => {
    names ??= groups.map(words);
    const sought = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    groups.forEach((group, at) => {
      const fits = sought.every((word) => names[at].includes(word))
        && (!kind.value || group.dataset.kinds.split(" ").includes(kind.value));
      group.hidden = !fits;
      shown += fits;
    });
    const all = shown === groups.length;
    told.textContent = all ? "" : `${shown.toLocaleString("en")} of ${groups.length.toLocaleString("en")} groups`;
  };

  if (box) {
    box.addEventListener("input", filter);
    kind.addEventListener("change", filter);
    document.getElementById("open-groups").addEventListener("click", () => {
      const shown = groups.filter((group) => !group.hidden);
      const open = !shown.every((group) => group.open);
      shown.forEach((group) => { group.open = open; });
    });
    document.getElementById("open-redlines").addEventListener("click", () => {
      const shown = find("details.group:not([hidden]) details.redline");
      const open = !shown.every((redline) => redline.open);
      shown.forEach((redline) => {
        redline.open = open;
        if (open) redline.closest("details.group").open = true;
      });
    });
  }

  // A link to a group opens it.
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const group = target && target.closest("details");
    if (group) { group.hidden = false; group.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", follow);
  follow();

  // What is folded on the screen is unfolded on paper, except redlines: of those, the open ones are printed.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = find("details:not(.redline):not([open])");
    folded.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => { folded.forEach((one) => { one.open = false; }); });
})();
