"use strict";
// Comfort only: everything in the page can be read without it.
(() => {
  const root = document.documentElement;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);

  // Theme.
  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const toggleTheme = () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("gimlet-theme", root.dataset.theme); } catch { /* No storage. */ }
  };
  byId("theme").addEventListener("click", toggleTheme);

  // Copying.
  const copy = async (button) => {
    const code = button.parentElement.querySelector("code");
    let copied = true;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      copied = document.execCommand("copy");
    }
    button.textContent = copied ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };

  // Findings, one after the other.
  const findings = all("#findings > .finding");
  const summaryOf = (finding) => finding.querySelector("summary");
  const shown = () => findings.filter((it) => !it.hidden);
  const nearest = () => {
    const focused = document.activeElement?.closest("#findings > .finding");
    if (focused) return { at: shown().indexOf(focused), isOn: true };
    const below = shown().findIndex((it) => it.getBoundingClientRect().bottom > 120);
    return { at: below < 0 ? shown().length : below, isOn: false };
  };
  const move = (by) => {
    const list = shown();
    if (list.length === 0) return;
    const { at, isOn } = nearest();
    const to = isOn ? at + by : by > 0 ? at : at - 1;
    const finding = list[Math.min(Math.max(to, 0), list.length - 1)];
    finding.open = true;
    summaryOf(finding).focus({ preventScroll: true });
    finding.scrollIntoView({ block: "start" });
  };

  // Search. Modules are searched by their names and functions, not by their source.
  const search = byId("search");
  const status = byId("status");
  const searched = [
    [findings, (it) => it.textContent, "findings"],
    [all("#modules > .module"), (it) =>
      it.querySelector("summary").textContent + " " + (it.querySelector(".functions")?.textContent ?? ""), "modules"],
    [all(".bars > li"), (it) => it.textContent, ""],
    [all(".units > tbody > tr"), (it) => it.textContent, ""],
    [all("#refusals > details, #inputs > details"), (it) => it.textContent, ""],
  ];
  let texts = null;
  const narrow = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    texts ??= searched.map(([list, text]) => list.map((it) => text(it).toLowerCase()));
    const said = [];
    searched.forEach(([list, , name], n) => {
      let hits = 0;
      list.forEach((it, i) => {
        const isHit = words.every((word) => texts[n][i].includes(word));
        it.hidden = !isHit;
        if (isHit) hits += 1;
      });
      if (name && list.length) said.push(`${hits} of ${list.length} ${name}`);
    });
    all(".index > li").forEach((it, i) => { it.hidden = findings[i]?.hidden ?? false; });
    status.textContent = words.length ? said.join(", ") : "";
  };
  search?.addEventListener("input", narrow);

  const keys = byId("keys");
  byId("help")?.addEventListener("click", () => keys.showModal());

  addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.matches(".copy")) copy(button);
    if (button?.dataset.fold) {
      const scope = byId("findings") ?? byId("main");
      const selector = byId("findings") ? ":scope > .finding" : "details";
      scope.querySelectorAll(selector).forEach((it) => { it.open = button.dataset.fold === "open"; });
    }
  });

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys?.open) return;
    if (event.target === search) {
      if (event.key === "Escape") { search.value = ""; narrow(); search.blur(); }
      return;
    }
    const actions = {
      j: () => move(1), n: () => move(1), k: () => move(-1), p: () => move(-1),
      t: toggleTheme,
      c: () => {
        const button = document.activeElement?.closest(".finding")?.querySelector(".call > .copy");
        if (button) copy(button);
      },
      "/": () => search?.focus(),
      "?": () => keys?.showModal(),
    };
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
    if (action) { event.preventDefault(); action(); }
  });

  // What is folded is printed, too, but for the sources of modules.
  addEventListener("beforeprint", () => findings.forEach((it) => { it.open = true; }));
})();
