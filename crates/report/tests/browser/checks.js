// Looks over the page that is shown and returns what is wrong with it, as a list of sentences.
(() => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isShown = (it) => it.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false });
  const name = (it) => `${it.tagName.toLowerCase()}.${it.getAttribute("class") ?? ""} "${it.textContent.slice(0, 40)}"`;

  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) {
    const wide = all("main *").filter((it) => it.getBoundingClientRect().right > innerWidth + 1 && !it.closest(".code, .scroll, .side, pre"));
    wrong.push(`the page is ${root.scrollWidth} px wide in a window of ${innerWidth} px: ${wide.slice(0, 3).map(name)}`);
  }

  for (const [tag, least] of [["header", 1], ["main", 1], ["nav", document.querySelector(".side") ? 1 : 0], ["h1", 1]]) {
    const n = all(tag).length;
    if (n < least || n > 1) wrong.push(`${n} elements <${tag}>`);
  }
  let level = 0;
  for (const it of all("main :is(h1, h2, h3, h4)")) {
    const now = Number(it.tagName[1]);
    if (now > level + 1) wrong.push(`h${now} after h${level}: ${name(it)}`);
    level = now;
  }

  const ids = all("[id]").map((it) => it.id);
  if (new Set(ids).size !== ids.length) wrong.push(`ids are used twice: ${ids.filter((it, n) => ids.indexOf(it) !== n).slice(0, 5)}`);
  const known = new Set(ids);
  for (const it of all("a[href]")) {
    const href = it.getAttribute("href");
    if (!href.startsWith("#") || !known.has(href.slice(1))) wrong.push(`a link leads nowhere: ${href}`);
  }
  for (const it of all("button")) {
    if (!it.textContent.trim() && !it.getAttribute("aria-label")) wrong.push("a button without a name");
  }

  // WCAG 2: contrast of at least 4.5 between text and what is behind it.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((it, n) => it * top[3] + below[n] * (1 - top[3]));
  const behind = (it) => {
    const layers = [];
    for (let at = it; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    return layers.reduceRight((below, top) => over(top, below), dark ? [0, 0, 0] : [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((it) => it / 255).map((it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const seen = new Set();
  for (const it of all("body *").slice(0, 3000)) {
    const hasText = [...it.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!hasText || it.closest("script, style, title, dialog, .skip") || !isShown(it)) continue;
    const style = getComputedStyle(it);
    const back = behind(it.closest("svg")?.parentElement ?? it);
    const front = over(rgba(it.closest("svg") ? style.fill : style.color), back);
    const [more, less] = [light(front), light(back)].sort((a, b) => b - a);
    const contrast = (more + 0.05) / (less + 0.05);
    const key = `${it.className} ${contrast.toFixed(2)}`;
    if (contrast < 4.5 && !seen.has(key)) {
      seen.add(key);
      wrong.push(`contrast ${contrast.toFixed(2)} of ${name(it)}`);
    }
  }
  return wrong;
})()
