// Renders the lists from the page's data: what is on the screen and a little more. Filter, sort, keys, paper.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  byId("lists").hidden = false;
  if (!byId("filter")) return; // no document, nothing to list
  const data = JSON.parse(byId("data").textContent);
  const docs = data.documents;
  const SMALL = 10; // larger groups are closed until they are asked for
  const ROWS = 200; // rows of one table before the rest is asked for
  const FOUND = 8; // rows of one table that a filter shows at once
  const BLOCK = 4; // groups that are rendered together
  const PAPER = 3000; // rows that are printed
  const numbers = new Intl.NumberFormat("en");
  const count = (value) => numbers.format(value);
  const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

  // Elements. Text only ever becomes a text node.

  const h = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === true) made.setAttribute(name, "");
      else if (value !== false && value != null) made.setAttribute(name, value);
    }
    made.append(...children.flat().filter((child) => child != null && child !== ""));
    return made;
  };

  const state = { sought: [], kind: -1, sort: "size", all: null, paper: false };
  const toggled = new Map(); // what a person opened or closed
  const wholes = new Set(); // tables of which every row is shown, though a filter is on
  const redlines = new Set(); // rows whose redline is open
  const filtering = () => state.sought.length > 0 || state.kind >= 0;

  // A text with the sought words marked.
  const marked = (text) => {
    const lower = text.toLowerCase();
    if (!state.sought.length || lower.length !== text.length) return [text];
    const spans = [];
    for (const word of state.sought) {
      for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) spans.push([at, at + word.length]);
    }
    spans.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    const parts = [];
    let place = 0;
    for (const [start, end] of spans) {
      if (end <= place) continue;
      const from = Math.max(start, place);
      if (from > place) parts.push(text.slice(place, from));
      parts.push(h("mark", null, text.slice(from, end)));
      place = end;
    }
    if (place < text.length) parts.push(text.slice(place));
    return parts;
  };

  const rootOf = (doc) => data.roots[docs.root.length ? docs.root[doc] : 0];
  const href = (doc) => {
    const base = rootOf(doc)[1];
    if (!base) return null;
    return base + (docs.link[doc] ?? docs.path[doc].split("/").map(encodeURIComponent).join("/"));
  };
  const ASCII = /^[\x20-\x7e]*$/;
  const pathNode = (doc, linked = true) => {
    const path = docs.path[doc];
    // Folders stay in their order whatever direction their names are written in.
    const parts = ASCII.test(path) ? marked(path)
      : path.split("/").flatMap((part, at) => [at ? "/" : "", h("bdi", null, marked(part))]);
    const root = data.several ? h("span", { class: "root", title: rootOf(doc)[2] }, marked(rootOf(doc)[0]), "/") : null;
    const address = linked ? href(doc) : null;
    return address === null ? h("bdi", { class: "path", dir: "ltr" }, root, parts)
      : h("a", { class: "path", dir: "ltr", href: address, target: "_blank", rel: "noopener noreferrer" }, root, parts);
  };
  const idNode = (doc) => h("span", { class: "id" }, marked(docs.id[doc]));
  const told = (tenths) => (tenths / 10).toFixed(1);
  const similarityNode = (tenths) => {
    const bar = h("i", null);
    bar.style.width = `${tenths / 10}%`;
    return h("span", { class: "sim" }, h("b", null, told(tenths)), h("i", { class: "thin" }, bar));
  };
  const wordNode = (look, [word, meaning]) => h("span", {
    class: look, tabindex: "0", "data-tip": meaning, "aria-label": `${word}: ${meaning}`,
  }, look === "kind" ? word.replaceAll("-", " ") : word);
  const kindNode = (kind) => wordNode("kind", data.kinds[kind]);
  const statusNode = (doc) => wordNode("status", data.statuses[docs.status[doc]]);
  const copyNode = (doc) => (docs.copy[doc] < 0 ? null
    : h("span", { class: "of" }, "copy of ", h("span", { class: "id" }, docs.id[docs.copy[doc]])));

  const remarkNode = (doc) => (docs.reason[doc] ? h("bdi", { class: "remark" }, docs.reason[doc]) : null);

  // Commands that can be pasted, quoted for the shell of the machine that wrote this page.
  const quoted = (word) => {
    if (/^[\w@%+=:,./-]+$/.test(word) || (data.windows && /^[\w@%+=:,./\\-]+$/.test(word))) return word;
    return data.windows ? `"${word}"` : `'${word.replaceAll("'", `'"'"'`)}'`;
  };
  const compareCommand = (a, b) => ["truecopy", "compare", docs.id[a], docs.id[b], "--matter", data.matter,
    "--html", `${docs.id[a]} ${docs.id[b]}.html`.replaceAll(/[^\w.-]+/g, "-")].map(quoted).join(" ");

  // Redlines, read from the page when they are opened.

  const redlineOf = (doc) => {
    const block = byId(`redline-${doc}`);
    return block ? JSON.parse(block.textContent) : null;
  };
  const LOOK = ["", "ins", "del", "gone", "come", "layout", "skip"];
  const pieceNode = ([code, text, ...more], doc) => {
    if (code === 0) return text;
    const matters = more.includes(-1);
    const place = more.find((value) => value > 0);
    const tag = code <= 2 ? LOOK[code] : place ? "a" : "span";
    const look = [code > 2 ? LOOK[code] : "", matters ? "matters" : ""].join(" ").trim();
    const made = h(tag, { class: look || null }, text);
    if (place) {
      made.id = `move-${doc}-${place}-${LOOK[code]}`;
      made.href = `#move-${doc}-${place}-${code === 3 ? "come" : "gone"}`;
      made.title = code === 3 ? "moved away: go to where it is now" : "moved here: go to where it was";
    }
    return made;
  };
  const changeNode = ([before, after, times]) => h("li", null,
    before && h("del", null, h("bdi", null, before)), before && after ? " → " : "",
    after && h("ins", null, h("bdi", null, after)), times > 1 ? h("span", { class: "times" }, ` ×${count(times)}`) : "");
  const commandNode = (a, b) => h("code", { class: "command" }, compareCommand(a, b));

  const redlineNode = (head, doc) => {
    const original = docs.copy[doc];
    let from = doc;
    let found = redlineOf(doc);
    if (!found && original >= 0) { found = redlineOf(original); from = original; }
    const beside = data.beside[doc] ?? data.beside[original];
    const whole = beside
      ? ["It is a page of its own, beside this one: ", h("a", { href: beside, target: "_blank", rel: "noopener noreferrer" }, `${docs.id[head]} → ${docs.id[from]}`)]
      : ["This command writes it as a page of its own: ", commandNode(head, doc)];
    if (!found) return h("p", { class: "more" }, "This redline is not in the page. ", whole);
    const text = h("div", { class: "text", dir: "auto" }, found.pieces.map((piece) => pieceNode(piece, from)));
    const layout = h("input", { type: "checkbox" });
    layout.addEventListener("change", () => text.classList.toggle("with-layout", layout.checked));
    return h("div", { class: "redline" },
      h("p", { class: "about" },
        `${docs.id[head]} → ${docs.id[doc]}: ${plural(found.differences, "difference")} in words or figures`,
        from === doc ? "" : `, as in ${docs.id[from]}, of which it is a copy`,
        found.layout ? h("label", null, layout, ` mark ${plural(found.layout, "difference")} of layout only`) : ""),
      found.changes.length ? h("ul", { class: "changes", "aria-label": "Changes of figures, dates and words that turn the sense" }, found.changes.map(changeNode)) : "",
      found.more ? h("p", { class: "more" }, found.more) : "",
      found.differences ? h("p", { class: "looked" }, found.changes.length || found.more ? "" : "No change of a figure or of a listed word was found. ", data.looked) : "",
      text,
      found.shortened ? h("p", { class: "more" }, "The redline goes on. ", whole) : "");
  };

  // Tables that show some rows at once and the rest when asked.

  const fillRows = (body, rows, make, most, columns) => {
    let at = 0;
    const add = (limit) => {
      const more = body.lastElementChild?.classList.contains("more-rows") ? body.lastElementChild : null;
      const part = document.createDocumentFragment();
      const end = Math.min(rows.length, at + limit);
      for (; at < end; at += 1) part.append(...make(rows[at], at));
      more?.remove();
      if (at < rows.length) {
        const next = h("button", { type: "button" }, `Show ${count(Math.min(500, rows.length - at))} more`);
        const rest = h("button", { type: "button" }, `Show all ${count(rows.length)}`);
        next.addEventListener("click", () => { add(500); focusAfter(body, next); });
        rest.addEventListener("click", () => { add(Infinity); focusAfter(body, rest); });
        part.append(h("tr", { class: "more-rows" }, h("td", { colspan: columns }, next, " ", rest)));
      }
      body.append(part);
    };
    add(state.paper ? Infinity : most);
  };
  const focusAfter = (body) => body.querySelector(".more-rows button")?.focus();

  // The lists: groups, linked documents, contained texts. Each item has a head and rows.

  const kindsOf = { similar: data.kinds.map(([kind]) => !kind.startsWith("same-f") && kind !== "same-text") };
  const item = (list, head, rows, values, kinds, id, left = 0) => ({
    list, head, rows, values, kinds, id: id || docs.id[head], left, // documents that the page has no room for
    lowest: values.reduce((a, b) => Math.min(a, b), 1000), highest: values.reduce((a, b) => Math.max(a, b), 0),
  });
  const isOpen = (one) => state.paper || (toggled.get(one) ?? state.all ?? (filtering() || one.rows.length + 1 <= SMALL));

  let hits = null; // for each document, whether it has every sought word
  let haystacks = null;
  const rowFits = (one, at) => (!hits || hits[one.rows[at]] === 1) && (state.kind < 0 || (one.kinds && one.kinds[at] === state.kind));
  const headFits = (one) => hits !== null && state.kind < 0 && (hits[one.head] === 1
    || (one.id !== docs.id[one.head] && state.sought.every((word) => one.id.toLowerCase().includes(word))));
  const fits = (one) => {
    if (!filtering() || headFits(one)) return true;
    for (let at = 0; at < one.rows.length; at += 1) if (rowFits(one, at)) return true;
    return false;
  };

  const memberRows = (one, at) => {
    const doc = one.rows[at];
    const words = one.list;
    const known = one.list === "groups";
    const differs = one.kinds === null || kindsOf.similar[one.kinds[at]];
    const button = differs ? h("button", { type: "button", class: "show", "aria-expanded": "false", "aria-label": `${known ? "Redline" : "Compare"} ${docs.id[one.head]} with ${docs.id[doc]}` }, known ? "redline" : "compare") : null;
    const hit = filtering() && rowFits(one, at);
    const row = h("tr", { class: hit ? "hit" : null },
      h("td", { class: "id" }, idNode(doc)),
      h("td", null, pathNode(doc), remarkNode(doc)),
      h("td", { class: "num words" }, count(docs.words[doc])),
      h("td", { class: "likeness" }, similarityNode(one.values[at])),
      h("td", { class: "kinds-cell" }, one.kinds === null ? "" : kindNode(one.kinds[at])),
      h("td", { class: "status-cell" }, statusNode(doc), " ", copyNode(doc)),
      h("td", { class: "do" }, button));
    const rows = [row];
    const key = `${words} ${one.head} ${doc}`;
    const show = () => {
      button.setAttribute("aria-expanded", "true");
      const inner = known ? redlineNode(one.head, doc) : h("p", { class: "more" }, "This command writes a page that shows how the two differ: ", commandNode(doc, one.head));
      row.classList.add("has-under");
      return h("tr", { class: "under" }, h("td", { colspan: "7" }, inner));
    };
    if (button && redlines.has(key)) rows.push(show());
    button?.addEventListener("click", () => {
      if (redlines.delete(key)) {
        row.nextElementSibling.remove();
        row.classList.remove("has-under");
        button.setAttribute("aria-expanded", "false");
      } else {
        redlines.add(key);
        row.after(show());
      }
    });
    return rows;
  };

  const HEADS = { groups: ["Similarity", "Kind"], linked: ["Similarity", ""], contained: ["Held, percent", "Kind"] };
  const tableNode = (one) => {
    const all = [...one.rows.keys()];
    const narrowed = filtering() && one.rows.length + 1 > SMALL && !wholes.has(one) && !state.paper;
    const rows = narrowed ? all.filter((at) => rowFits(one, at)) : all;
    const body = h("tbody", null);
    if (one.list === "groups") {
      body.append(h("tr", { class: `principal${filtering() && headFits(one) ? " hit" : ""}` },
        h("td", { class: "id" }, idNode(one.head)), h("td", null, pathNode(one.head), remarkNode(one.head)),
        h("td", { class: "num words" }, count(docs.words[one.head])), h("td", { class: "likeness" }), h("td", { class: "kinds-cell" }),
        h("td", { class: "status-cell" }, docs.status[one.head] === PRINCIPAL ? null : h("span", { class: "of" }, "principal "), statusNode(one.head)), h("td", { class: "do" })));
    }
    fillRows(body, rows, (at) => memberRows(one, at), narrowed ? FOUND : ROWS, 7);
    const [value, kind] = HEADS[one.list];
    const heads = [["Document"], ["Path"], ["Words", "num"], [value], [kind], ["Status"], [h("span", { class: "unseen" }, "Differences")]];
    const table = h("table", { class: "members" },
      h("thead", null, h("tr", null, heads.map(([text, look]) => h("th", { scope: "col", class: look }, text)))), body);
    const left = one.left ? h("p", { class: "more" }, `${plural(one.left, "more document holds", "more documents hold")} this text, no more of it than those above. This command lists them, with all other pairs: `, h("code", { class: "command" }, data.every)) : null;
    if (rows.length === all.length) return left ? [table, left] : table;
    const more = h("button", { type: "button" }, `Show the other ${count(all.length - rows.length)}`);
    more.addEventListener("click", () => { wholes.add(one); table.parentElement.replaceWith(bodyNode(one)); });
    return [table, h("p", { class: "rest" }, more), left];
  };
  const PRINCIPAL = data.statuses.findIndex(([status]) => status === "principal");
  const bodyNode = (one) => h("div", { class: "inside" }, tableNode(one));

  const SIZES = {
    groups: (one) => plural(one.rows.length + 1, "document"),
    linked: (one) => plural(one.rows.length, "link"),
    contained: (one) => `in ${plural(one.rows.length + one.left, "document")}`,
  };
  const itemNode = (one, at, of) => {
    const open = isOpen(one);
    const range = one.lowest === one.highest ? told(one.lowest) : `${told(one.lowest)}–${told(one.highest)}`;
    const made = h("details", { class: "group", id: `${one.list === "groups" ? "group" : one.list}-${one.id}`, open },
      h("summary", null,
        h("span", { class: "name" }, idNode(one.head), " ", one.id === docs.id[one.head] ? "" : h("span", { class: "of" }, "group ", marked(one.id), " "), pathNode(one.head, false)),
        h("span", { class: "size" }, SIZES[one.list](one)), h("span", { class: "range" }, range)));
    if (one.list !== "groups") made.firstChild.firstChild.append(" ", h("span", { class: "of" }, plural(docs.words[one.head], "word")), " ", copyNode(one.head) || "");
    if (open) made.append(bodyNode(one));
    made.addEventListener("toggle", () => {
      if (!made.isConnected || made.open === isOpen(one)) return;
      toggled.set(one, made.open);
      if (made.open && !made.querySelector(".inside")) made.append(bodyNode(one));
    });
    made.item = one;
    return h("div", { role: "listitem", "aria-setsize": of, "aria-posinset": at + 1 }, made);
  };

  class Windowed {
    constructor(host, items) {
      this.host = host;
      this.items = items;
      this.shown = items;
      this.blocks = [];
      host.setAttribute("role", "list");
      this.watcher = new IntersectionObserver((entries) => {
        for (const entry of entries) {
          if (entry.isIntersecting) this.fill(entry.target);
          else this.clear(entry.target);
        }
      }, { rootMargin: "1200px 0px" });
    }

    // Where the list was on the screen, asked before anything changes: asking afterwards costs a layout of the page.
    look() {
      const place = this.host.getBoundingClientRect();
      return { top: place.top, height: place.height };
    }

    // Shows items; `top` is where the list begins on the screen. Gives the height that it will have, more or less.
    show(items, top) {
      this.watcher.disconnect();
      this.shown = items;
      this.blocks = [];
      for (let at = 0; at < items.length; at += BLOCK) {
        const block = h("div", { class: "block", role: "presentation" });
        block.at = at;
        block.style.minHeight = `${this.estimate(at)}px`;
        this.blocks.push(block);
      }
      this.host.replaceChildren(...this.blocks);
      this.host.closest("section").hidden = filtering() && items.length === 0;
      if (state.paper) return 0;
      // What is on the screen is there at once; the rest when it comes near.
      let bottom = top;
      for (const block of this.blocks) {
        const start = bottom;
        bottom += parseFloat(block.style.minHeight);
        if (start < innerHeight && bottom > 0) this.fill(block);
      }
      for (const block of this.blocks) this.watcher.observe(block);
      return bottom - top;
    }

    estimate(at) {
      let height = 0;
      for (const one of this.shown.slice(at, at + BLOCK)) {
        height += 38 + (isOpen(one) ? 84 + 36 * Math.min(one.rows.length, filtering() ? FOUND : ROWS) : 0);
      }
      return height;
    }

    fill(block) {
      if (block.firstChild) return;
      block.append(...this.shown.slice(block.at, block.at + BLOCK).map((one, at) => itemNode(one, block.at + at, this.shown.length)));
      block.style.minHeight = "";
    }

    clear(block) {
      if (!block.firstChild || state.paper || block.contains(document.activeElement)) return;
      const picked = getSelection();
      if (picked && !picked.isCollapsed && picked.containsNode(block, true)) return;
      block.style.minHeight = `${block.offsetHeight}px`;
      block.replaceChildren();
    }

    reveal(one) {
      const at = this.shown.indexOf(one);
      if (at < 0) return null;
      const block = this.blocks[Math.floor(at / BLOCK)];
      this.fill(block);
      return block.children[at % BLOCK].firstChild;
    }
  }

  const collator = new Intl.Collator("en", { numeric: true });
  const ORDERS = {
    size: (a, b) => b.rows.length - a.rows.length || a.head - b.head,
    lowest: (a, b) => a.lowest - b.lowest || b.rows.length - a.rows.length || a.head - b.head,
    path: (a, b) => collator.compare(docs.path[a.head], docs.path[b.head]) || a.head - b.head,
  };

  const lists = [
    ["group-list", data.groups.map(([id, head, rows, values, kinds]) => item("groups", head, rows, values, kinds, id))],
    ["linked-list", data.linked.map(([head, rows, values]) => item("linked", head, rows, values, null))],
    ["contained-list", data.contained.map(([head, rows, values, kinds, left]) => item("contained", head, rows, values, kinds, null, left))],
  ].filter(([host]) => byId(host)).map(([host, items]) => new Windowed(byId(host), items));

  // Documents in no other list, by status; and those that were not searched.

  const listings = [...document.querySelectorAll("details.list")].map((details) => ({
    details, documents: data.lists[details.dataset.status], number: details.querySelector("b"), shown: [],
  }));
  const listRow = (doc, reasoned) => [h("tr", { class: filtering() && hits && hits[doc] ? "hit" : null },
    h("td", { class: "id" }, idNode(doc)), h("td", null, pathNode(doc)),
    reasoned ? h("td", null, statusNode(doc), " ", copyNode(doc)) : h("td", { class: "num" }, count(docs.words[doc])),
    h("td", null, reasoned ? "" : copyNode(doc), docs.reason[doc] ? h("bdi", { class: "reason" }, docs.reason[doc]) : ""))];
  const fillListing = (listing) => {
    listing.details.querySelector(".wide")?.remove();
    if (!listing.details.open && !state.paper) return;
    const body = h("tbody", null);
    fillRows(body, listing.shown, (doc) => listRow(doc, false), filtering() ? FOUND : ROWS, 4);
    listing.details.append(h("div", { class: "wide" }, h("table", { class: "rows" },
      h("thead", null, h("tr", null, ["Document", "Path"].map((text) => h("th", { scope: "col" }, text)),
        h("th", { scope: "col", class: "num" }, "Words"), h("th", { scope: "col" }, "Remark"))), body)));
  };
  for (const listing of listings) {
    listing.details.addEventListener("toggle", () => {
      if (listing.details.open !== Boolean(listing.details.querySelector(".wide"))) fillListing(listing);
    });
  }
  // What is below the screen waits until the answer is painted, and is dropped if another filter comes first.
  let waiting = [];
  const later = (work) => {
    waiting.push(work);
    if (waiting.length > 1) return;
    requestAnimationFrame(() => setTimeout(() => { const now = waiting; waiting = []; now.forEach((each) => each()); }));
  };
  const noted = [...document.querySelectorAll("[data-list]")].map((body) => ({ body, documents: data.lists[body.dataset.list] }));

  const showListings = () => {
    let shown = 0;
    for (const listing of listings) {
      listing.shown = filtering() ? (hits && state.kind < 0 ? listing.documents.filter((doc) => hits[doc]) : []) : listing.documents;
      shown += listing.shown.length;
      listing.number.textContent = filtering() ? `${count(listing.shown.length)} of ${count(listing.documents.length)}` : count(listing.documents.length);
      listing.details.hidden = filtering() && !listing.shown.length;
      listing.details.querySelector(".wide")?.remove();
      listing.details.open = false;
    }
    if (filtering()) later(() => { for (const listing of listings) { listing.details.open = listing.shown.length > 0; fillListing(listing); } });
    const rest = byId("rest");
    if (rest) {
      rest.hidden = filtering() && !shown;
      const all = listings.reduce((sum, one) => sum + one.documents.length, 0);
      rest.querySelector(".total").textContent = filtering() ? `${count(shown)} of ${count(all)}` : count(all);
    }
    return shown;
  };
  // Gives how many documents that were not searched fit the filter.
  const showNoted = () => {
    let unsearched = 0;
    for (const { body, documents } of noted) {
      const shown = hits && state.kind < 0 ? documents.filter((doc) => hits[doc]) : filtering() ? [] : documents;
      if (!body.dataset.list) unsearched = shown.length;
      later(() => {
        body.replaceChildren();
        fillRows(body, shown, (doc) => listRow(doc, true), filtering() ? ROWS : 1000, 4);
      });
    }
    return unsearched;
  };

  // Filter and sort.

  const box = byId("filter");
  const kind = byId("filter-kind");
  const sort = byId("sort");
  const output = byId("filter-told");
  let unfiltered = true;

  const prepare = () => {
    haystacks ??= docs.path.map((path, doc) => `${docs.id[doc]} ${data.several ? rootOf(doc)[2] : ""}/${path}`.toLowerCase());
  };
  const seek = () => {
    state.sought = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    state.kind = kind.value === "" ? -1 : Number(kind.value);
    hits = null;
    if (!state.sought.length) return;
    prepare();
    hits = new Uint8Array(haystacks.length);
    for (let doc = 0; doc < hits.length; doc += 1) hits[doc] = state.sought.every((word) => haystacks[doc].includes(word)) ? 1 : 0;
  };
  const NAMES = { groups: ["group"], linked: ["linked document"], contained: ["contained text"] };
  const refresh = () => {
    if (waiting.length) waiting.length = 0;
    seek();
    const said = [];
    const places = lists.map((list) => list.look());
    let moved = 0;
    lists.forEach((list, index) => {
      const found = list.items.filter(fits);
      if (state.sort !== "size") found.sort(ORDERS[state.sort]);
      moved += list.show(found, places[index].top + moved) - places[index].height;
      const name = list.items.length ? list.items[0].list : "";
      const total = document.querySelector(`[data-total="${name}"]`);
      if (total) total.textContent = filtering() ? `${count(found.length)} of ${count(list.items.length)}` : count(list.items.length);
      if (name && found.length) said.push(plural(found.length, ...NAMES[name]));
    });
    if (filtering() || !unfiltered) {
      const loose = showListings();
      const unread = showNoted();
      if (loose) said.push(`${plural(loose, "document")} in no group`);
      if (unread) said.push(`${count(unread)} not searched`);
    }
    unfiltered = !filtering();
    const documentHits = hits ? hits.reduce((sum, hit) => sum + hit, 0) : 0;
    output.textContent = !filtering() ? "" : !said.length ? "No document here has this in its name or number, and this kind."
      : `${hits ? `${plural(documentHits, "document")} found: ` : ""}${said.join(", ")}`;
    document.body.classList.toggle("filtering", filtering());
  };
  // An answer begins at the top of the lists; a reader who is far down is brought there.
  const toTop = () => {
    const above = byId("lists").getBoundingClientRect().top;
    if (above < 0) scrollBy(0, above);
  };
  const changed = () => {
    toTop();
    toggled.clear();
    wholes.clear();
    state.all = null;
    openAll.textContent = "Open all";
    refresh();
  };
  const openAll = byId("open-groups");

  const present = new Set(lists.flatMap((list) => list.items.flatMap((one) => one.kinds || [])));
  data.kinds.forEach(([name], at) => { if (present.has(at)) kind.append(h("option", { value: at }, name.replaceAll("-", " "))); });

  document.documentElement.classList.add("scripted");
  box.closest("form").addEventListener("submit", (event) => event.preventDefault());
  box.addEventListener("input", changed);
  kind.addEventListener("change", changed);
  sort.addEventListener("change", () => { state.sort = sort.value; toTop(); refresh(); });
  openAll.addEventListener("click", () => {
    state.all = state.all !== true;
    toggled.clear();
    openAll.textContent = state.all ? "Close all" : "Open all";
    refresh();
  });

  // Addresses: #group-TC-000012 opens that group.

  const follow = () => {
    let name = location.hash.slice(1);
    try { name = decodeURIComponent(name); } catch { return; }
    const at = name.indexOf("-");
    const list = lists.find((one) => one.items.length && { groups: "group" }[one.items[0].list] === name.slice(0, at));
    const one = list?.items.find((each) => each.id === name.slice(at + 1));
    if (one) go(list, one);
  };
  const go = (list, one) => {
    if (filtering() && !fits(one)) { box.value = ""; kind.value = ""; changed(); }
    toggled.set(one, true);
    const node = list.reveal(one);
    node.open = true;
    if (!node.querySelector(".inside")) node.append(bodyNode(one));
    node.scrollIntoView();
    node.firstChild.focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);

  // Keys.

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key === "Escape" && event.target === box) { box.value = ""; changed(); return; }
    if (typing) return;
    if (event.key === "/") { event.preventDefault(); box.focus(); box.select(); return; }
    if (event.key !== "j" && event.key !== "k") return;
    const step = event.key === "j" ? 1 : -1;
    const now = document.activeElement.closest?.("details.group")?.item;
    const list = lists.find((one) => now && one.shown.includes(now)) || lists[0];
    if (!list || !list.shown.length) return;
    const at = now ? list.shown.indexOf(now) + step : 0;
    const node = list.shown[at] && list.reveal(list.shown[at]);
    if (node) { node.firstChild.focus(); node.scrollIntoView({ block: "center" }); }
  });

  // Paper: every group that the filter leaves, unfolded; of the redlines, those that are open.

  addEventListener("beforeprint", () => {
    state.paper = true;
    let room = PAPER;
    let left = 0;
    for (const list of lists) {
      const fitting = list.shown.filter((one) => { room -= one.rows.length + 1; left += room < 0; return room >= 0; });
      const before = list.shown;
      list.show(fitting, 0);
      list.blocks.forEach((block) => list.fill(block));
      list.before = before;
    }
    const note = byId("print-told");
    if (note) note.textContent = `Redlines are printed where they were open on the screen.${left ? ` ${count(left)} more groups and lists are not on paper: filter first, or use the workbook.` : ""}${filtering() ? ` Only what the filter found: ${output.textContent}.` : ""}`;
    for (const listing of listings) if (listing.shown.length <= 2000) { listing.details.open = true; fillListing(listing); }
  });
  addEventListener("afterprint", () => {
    state.paper = false;
    for (const list of lists) list.show(list.before || list.shown, list.look().top);
    for (const listing of listings) { listing.details.open = filtering(); fillListing(listing); }
  });

  refresh();
  showListings();
  showNoted();
  follow();
  (self.requestIdleCallback || setTimeout)(prepare); // so that the first letter is as quick as the next
})();
