// Keys, chips that are dragged, and pictures. Everything else is done by the pages themselves; without scripts they still work.
const byId = (id) => document.getElementById(id);

// A request that failed is said, not dropped -------------------------------------------------------------------------------------

function fail(said, field) {
  const failure = byId("failure");
  failure.textContent = said ?? document.body.dataset.failed;
  failure.hidden = false;
  if (field) {
    (field.closest("label") ?? field).after(failure); // a form stays as it is, with what is wrong beside its field
    field.setAttribute("aria-describedby", "failure");
    field.focus();
  } else byId("main").before(failure);
}

for (const kind of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(kind, (event) => {
    const answer = event.detail.xhr?.responseText ?? "";
    const said = new DOMParser().parseFromString(answer, "text/html").querySelector(".problem");
    fail(said?.textContent, said?.dataset.field && event.detail.elt.querySelector(`[name="${said.dataset.field}"]`));
  });
}

let gone = false; // a server that has ended is said by itself, and one that is there again, too
setInterval(async () => {
  const answers = await fetch("/static/head.css", { method: "HEAD", cache: "no-store" }).then(() => true, () => false);
  if (!answers) fail();
  else if (gone) byId("failure").hidden = true;
  gone = !answers;
}, 3000);

// Keys ---------------------------------------------------------------------------------------------------------------------------

const lines = () => [...document.querySelectorAll("a.line")];

function step(by) {
  const all = lines();
  const at = all.indexOf(document.activeElement);
  all[Math.min(all.length - 1, Math.max(0, at + by))]?.focus();
}

const PLACES = { h: "/", l: "", c: "/corpus", w: "/words", j: "/asked", e: "/export" };
let going = false;

function go(key) {
  const crawl = location.pathname.match(/^\/crawls\/[^/]+/)?.[0];
  if (key === "h") location.assign("/");
  else if (crawl) location.assign(crawl + PLACES[key]);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || byId("keys").open) return;
  if (event.target.closest(".chip select") && moveChip(event)) return;
  if (event.target.matches("input, textarea, select")) return;
  const key = event.key;
  const marked = document.querySelector(`[data-key="${key}"]`);
  if (going && key in PLACES) go(key);
  else if (key === "/") byId("q")?.focus();
  else if (key === "j") step(1);
  else if (key === "k") step(-1);
  else if (key === "?") byId("keys").showModal();
  else if (marked && !event.repeat) marked.click();
  else if (key !== "g") return;
  going = key === "g" && !going;
  event.preventDefault();
});
byId("keys-button")?.addEventListener("click", () => byId("keys").showModal());

// Chips: dragged, or moved by the arrow keys or the list in them --------------------------------------------------------------------

function place(chip, lane) {
  const select = chip.querySelector("select");
  select.selectedIndex = [...select.options].findIndex((option) => option.dataset.lane === lane.dataset.lane);
  lane.querySelector("ul").append(chip);
}

function moveChip(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return false;
  const all = [...document.querySelectorAll(".lane")];
  const chip = event.target.closest(".chip");
  const lane = all[all.indexOf(chip.closest(".lane")) + by];
  if (lane) {
    place(chip, lane);
    chip.querySelector("select").focus();
  }
  event.preventDefault();
  return true;
}

let dragged = null;
document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.(".chip[draggable]");
  dragged?.classList.add("dragged");
  event.dataTransfer?.setData("text/plain", dragged?.textContent.trim() ?? "");
});
document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  dragged = null;
  for (const lane of document.querySelectorAll(".lane.over")) lane.classList.remove("over");
});
document.addEventListener("dragover", (event) => {
  const over = dragged && event.target.closest?.(".lane");
  for (const lane of document.querySelectorAll(".lane")) lane.classList.toggle("over", lane === over);
  if (over) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const lane = dragged && event.target.closest?.(".lane");
  if (!lane) return;
  event.preventDefault();
  place(dragged, lane);
});
document.addEventListener("change", (event) => {
  const chip = event.target.closest(".chip");
  if (chip) place(chip, document.querySelector(`.lane[data-lane="${event.target.selectedOptions[0].dataset.lane}"]`));
  if (event.target.matches(".seed")) {
    const { value, checked } = event.target;
    const others = byId("seeds").value.split("\n").filter((line) => line.trim() && line.trim() !== value);
    byId("seeds").value = [...others, ...(checked ? [value] : [])].join("\n");
  }
});

function addTerm() {
  const word = byId("add-term").value.trim();
  if (!word) return;
  const chip = byId("chip").content.firstElementChild.cloneNode(true);
  chip.querySelector("input").value = word;
  chip.querySelector("span").textContent = word;
  chip.querySelector("select").setAttribute("aria-label", word);
  place(chip, document.querySelector('.lane[data-lane="1.0"]'));
  byId("add-term").value = "";
  byId("add-term").focus();
}
document.addEventListener("click", (event) => event.target.closest?.("#add-button") && addTerm());
document.addEventListener("keydown", (event) => {
  if (!event.target.matches("#add-term") || event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  addTerm();
});

// Terms in a text -----------------------------------------------------------------------------------------------------------------

function markTerms(article) {
  const terms = JSON.parse(article.dataset.terms).filter(Boolean).sort((a, b) => b.length - a.length).slice(0, 2000);
  if (!terms.length) return;
  const pattern = new RegExp(terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
  for (const line of article.querySelectorAll("[data-mark-terms] p:not(.note)")) {
    const text = line.textContent;
    const parts = [];
    let end = 0;
    for (const found of text.matchAll(pattern)) {
      const shown = document.createElement("mark");
      shown.textContent = found[0];
      parts.push(text.slice(end, found.index), shown);
      end = found.index + found[0].length;
    }
    line.replaceChildren(...parts, text.slice(end));
  }
}
document.querySelectorAll("article[data-terms]").forEach(markTerms);

// Pictures ------------------------------------------------------------------------------------------------------------------------

async function draw(chart) {
  const { curve, name } = chart.dataset;
  const found = await (await fetch(curve)).json();
  if (found.waiting || !found.pages) return setTimeout(draw, 500, chart);
  const style = getComputedStyle(document.documentElement);
  const colour = (variable) => style.getPropertyValue(variable).trim();
  const axis = (label) => ({ label, stroke: colour("--front"), grid: { stroke: colour("--line") }, ticks: { stroke: colour("--line") } });
  const sentence = `${name}: ${found.texts.at(-1)} / ${found.pages.at(-1)}`;
  chart.setAttribute("aria-label", `${document.body.dataset.texts} / ${document.body.dataset.pages}: ${sentence}`);
  byId("curve-said").textContent = sentence;
  chart.picture?.destroy();
  chart.replaceChildren();
  const options = {
    width: chart.clientWidth, height: 230, scales: { x: { time: false } },
    series: [{ label: document.body.dataset.pages }, { label: name, stroke: colour("--link"), width: 2, spanGaps: true }],
    axes: [axis(document.body.dataset.pages), axis(document.body.dataset.texts)],
  };
  chart.picture = new uPlot(options, [found.pages, found.texts], chart);
  chart.dataset.drawn = found.pages.at(-1);
}

if (byId("curve")) {
  const chart = byId("curve");
  draw(chart);
  setInterval(() => document.hidden || draw(chart), 5000);
  addEventListener("resize", () => chart.picture?.setSize({ width: chart.clientWidth, height: 230 }));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(chart));
}
