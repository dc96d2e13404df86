"use strict";
(() => {
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const root = document.documentElement;
  const remember = (value) => { try { localStorage.setItem("copperbench-theme", value); } catch (error) { /* a file may have no storage */ } };
  const recalled = () => { try { return localStorage.getItem("copperbench-theme"); } catch (error) { return null; } };
  if (recalled() === "dark" || recalled() === "light") root.dataset.theme = recalled();
  const theme = document.getElementById("theme");
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember(root.dataset.theme);
  });

  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = /^[-+]?\d+(\.\d+)?(?!\S)/.exec(text);
    return number ? Number(number[0]) : text.toLowerCase();
  };
  const order = (a, b) => {
    if (typeof a === "string" && typeof b === "string") return a.localeCompare(b, "en", { numeric: true });
    if (typeof a === typeof b) return a - b;
    return typeof a === "number" ? -1 : 1;
  };
  for (const table of all("table[data-sortable]")) {
    all("thead th", table).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      if (table.tBodies[0].rows[0]?.cells[column]?.classList.contains("n")) head.classList.add("n");
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        all("th", table).forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = all("tbody tr", table).map((row, place) => ({ row, place, key: key(row, column) }));
        rows.sort((a, b) => (up ? 1 : -1) * order(a.key, b.key) || a.place - b.place);
        table.tBodies[0].append(...rows.map((each) => each.row));
      });
    });
  }

  const search = document.getElementById("search");
  if (!search) return;
  const found = document.getElementById("found");
  const parts = all(".part");
  const clear = (part) => all("mark", part).forEach((mark) => { const parent = mark.parentNode; mark.replaceWith(mark.textContent); parent.normalize(); });
  const paint = (node, words) => {
    const text = node.data, lower = text.toLowerCase(), pieces = [];
    if (lower.length !== text.length) return;
    let from = 0;
    for (let at = lower.indexOf(words); at >= 0 && pieces.length < 400; at = lower.indexOf(words, from)) {
      const mark = document.createElement("mark");
      mark.textContent = text.slice(at, at + words.length);
      pieces.push(text.slice(from, at), mark);
      from = at + words.length;
    }
    if (from) node.replaceWith(...pieces, text.slice(from));
  };
  const show = () => {
    const words = search.value.toLowerCase();
    let hits = 0;
    for (const part of parts) {
      clear(part);
      const hit = !words || part.textContent.toLowerCase().includes(words);
      part.hidden = !hit;
      if (!words || !hit) continue;
      hits += 1;
      all("details", part).forEach((each) => { each.open = true; });
      all("pre, h4, summary", part).forEach((each) => [...each.childNodes].filter((node) => node.nodeType === 3).forEach((node) => paint(node, words)));
    }
    found.textContent = words ? `${hits} of ${parts.length} parts` : "";
  };
  search.addEventListener("input", show);
  const fold = (open) => all(".part details").forEach((each) => { each.open = open; });
  document.getElementById("unfold").addEventListener("click", () => fold(true));
  document.getElementById("fold").addEventListener("click", () => fold(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); search.focus(); }
    if (event.key === "Escape" && document.activeElement === search) { search.value = ""; show(); search.blur(); }
  });
})();
