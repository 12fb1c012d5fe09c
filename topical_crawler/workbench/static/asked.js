// Shows one text after another and sends every mark as it is made. Texts come from strangers: they are only ever set as text.
import { WORDS } from "./asked_words.js";

const KEYS = { 1: "relevant", r: "relevant", 2: "irrelevant", n: "irrelevant", 3: "boilerplate", b: "boilerplate" };
const MOST_TERMS = 2000;

const byId = (id) => document.getElementById(id);
const PLACE = location.pathname;
const words = WORDS[document.documentElement.lang.slice(0, 2)];
const state = { items: [], texts: new Map(), place: 0, past: [], terms: null };
let sending = Promise.resolve(); // one after the other, so that an undo never overtakes its mark

async function ask(path, options) {
  const answer = await fetch(path, { headers: { Accept: "application/json" }, ...options });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

// Status ----------------------------------------------------------------------------------------------------------------------

function say(name) {
  byId("saved").textContent = name ? words[name] : "";
}

function complain(message) {
  byId("failure").textContent = message;
  byId("failure").hidden = !message;
}

function label() {
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = words[element.dataset.say];
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", words[element.dataset.label]);
  const rows = words.keys.map(([keys, meaning]) => {
    const row = document.createElement("tr");
    const cell = row.insertCell();
    for (const key of keys.split(" ")) {
      const shown = document.createElement("kbd");
      shown.textContent = key;
      cell.append(shown, " ");
    }
    row.insertCell().textContent = meaning;
    return row;
  });
  byId("keys").replaceChildren(...rows);
}

// One text --------------------------------------------------------------------------------------------------------------------

function termPattern(terms) {
  const escaped = [...terms]
    .slice(0, MOST_TERMS)
    .sort((a, b) => b.length - a.length)
    .map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return escaped.length ? new RegExp(escaped.join("|"), "giu") : null;
}

function paragraph(line) {
  const shown = document.createElement("p");
  let end = 0;
  for (const found of state.terms ? line.matchAll(state.terms) : []) {
    const term = document.createElement("mark");
    term.textContent = found[0];
    shown.append(line.slice(end, found.index), term);
    end = found.index + found[0].length;
  }
  shown.append(line.slice(end));
  return shown;
}

function load(place) {
  if (place < state.items.length && !state.texts.has(place)) {
    const coming = ask(`/api${PLACE}/${place}`);
    state.texts.set(place, coming);
    coming.catch(() => state.texts.delete(place)); // asked for again when it is needed
  }
  return state.texts.get(place);
}

async function showText(place) {
  const item = state.items[place];
  const shown = byId("text");
  try {
    const { text } = await load(place);
    if (place !== state.place) return;
    if (item.reason && !text) {
      const note = document.createElement("p");
      note.className = "note";
      note.lang = document.documentElement.lang;
      note.textContent = words.noText;
      shown.replaceChildren(note);
      load(place + 1);
      return;
    }
    shown.replaceChildren(...text.split("\n").filter((line) => line.trim()).map(paragraph));
    load(place + 1);
  } catch (error) {
    shown.replaceChildren();
    complain(words.unread(error.message));
  }
}

function showUrl(item) {
  const link = byId("url");
  link.textContent = item.url;
  if (/^https?:\/\//i.test(item.url)) {
    link.href = item.url;
  } else {
    link.removeAttribute("href");
    link.title = words.noAddress;
  }
}

function showProgress() {
  const { items } = state;
  const judged = items.filter((item) => item.mark).length;
  byId("place").textContent = words.at(state.place + 1, items.length, judged);
  byId("progress").setAttribute("aria-valuemax", items.length);
  byId("progress").setAttribute("aria-valuenow", judged);
  for (const part of byId("progress").children) {
    const count = items.filter((item) => item.mark === part.className).length;
    part.style.width = `${(100 * count) / items.length}%`;
  }
  byId("done").hidden = judged < items.length;
}

function show() {
  const item = state.items[state.place];
  if (!item) return;
  byId("title").textContent = item.title || words.untitled;
  showUrl(item);
  const facts = [item.host, item.date || words.undated, `${words.relevance} ${item.relevance.toPrecision(3)}`];
  if (item.reason) facts.push(words.rejected(item));
  byId("facts").textContent = facts.join(" · ");
  byId("article").dataset.mark = item.mark ?? "";
  for (const button of document.querySelectorAll("button[data-mark]")) {
    button.setAttribute("aria-pressed", button.dataset.mark === item.mark);
  }
  document.title = `${state.place + 1}/${state.items.length} ${words.title}`;
  showProgress();
  showText(state.place);
}

// What a person does ------------------------------------------------------------------------------------------------------------

function goTo(place) {
  if (place < 0 || place >= state.items.length) return;
  state.place = place;
  scrollTo(0, 0);
  show();
}

/** The next text without a mark, from the present one on and round; the present one where there is no other. */
function nextUnmarked() {
  const count = state.items.length;
  for (let step = 1; step < count; step++) {
    const place = (state.place + step) % count;
    if (!state.items[place].mark) return place;
  }
  return state.place;
}

function send(place, mark, said) {
  const item = state.items[place];
  const before = item.mark;
  item.mark = mark;
  say("saving");
  sending = sending.then(async () => {
    try {
      const headers = { Accept: "application/json", "Content-Type": "application/json" };
      await ask(`${PLACE}/${place}`, { method: "POST", headers, body: JSON.stringify({ mark: mark ?? "none" }) });
      complain("");
      say(said);
    } catch (error) {
      item.mark = before;
      say("");
      complain(words.failed(error.message));
      goTo(place);
    }
  });
}

function setMark(mark) {
  const { place } = state;
  state.past.push([place, state.items[place].mark]);
  send(place, mark, "saved");
  goTo(nextUnmarked());
}

function undo() {
  const last = state.past.pop();
  if (!last) return say("nothing");
  send(last[0], last[1], "undone");
  goTo(last[0]);
}

const ACTIONS = {
  j: () => goTo(state.place + 1),
  arrowright: () => goTo(state.place + 1),
  k: () => goTo(state.place - 1),
  arrowleft: () => goTo(state.place - 1),
  s: () => goTo(nextUnmarked()),
  u: undo,
  "?": () => byId("help").showModal(),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || byId("help").open) return;
  if (!state.items.length) return;
  const key = event.key.toLowerCase();
  if (KEYS[key]) {
    if (!event.repeat) setMark(KEYS[key]);
  } else if (ACTIONS[key]) {
    ACTIONS[key]();
  } else {
    return; // space and the other keys scroll, as they do everywhere
  }
  event.preventDefault();
});

for (const button of document.querySelectorAll("button[data-mark]")) {
  button.addEventListener("click", () => setMark(button.dataset.mark));
}
for (const [id, key] of [["back", "k"], ["forth", "j"], ["skip", "s"], ["undo", "u"], ["help-button", "?"]]) {
  byId(id).addEventListener("click", ACTIONS[key]);
}
document.addEventListener("pointerup", (event) => {
  // A button that was clicked would take the next space for another click.
  event.target.closest?.("footer button")?.blur();
});

label();
try {
  const sample = await ask(`/api${PLACE}`);
  state.items = sample.items;
  state.terms = termPattern(sample.terms);
  byId("topic").textContent = sample.topic || sample.file;
  state.place = Math.max(0, sample.items.findIndex((item) => !item.mark));
  show();
} catch (error) {
  complain(error.message);
}
