/**
 * The palette: a dialog that finds things while you type, leads to them, and runs the commands of the page.
 * An editable combobox with a list (WAI-ARIA Authoring Practices): the focus stays in the field.
 */
import { type Command, listCommands } from "./commands.js";
import { hashOf } from "./file-hash.js";
import { showLocalTimes } from "./times.js";

/** Debounce: a search starts when no key was pressed for this long. */
const debounceMs = 120;

const dialog = document.createElement("dialog");
dialog.id = "palette";
dialog.ariaLabel = "Search and commands";
dialog.innerHTML = `
  <input type="search" role="combobox" aria-label="Search or run a command" aria-expanded="true"
    aria-controls="palette-options" aria-autocomplete="list" autocomplete="off" spellcheck="false"
    maxlength="500" placeholder="Search, or run a command">
  <div id="palette-options" role="listbox" aria-label="Results"></div>
  <p class="soft" role="status"></p>
  <div class="palette-foot soft">
    <span><kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd> <kbd>Esc</kbd></span>
    <label class="link">Find the asset of a file<input class="visually-hidden" type="file"></label>
  </div>`;
document.body.append(dialog);

const field = dialog.querySelector('input[type="search"]') as HTMLInputElement;
const list = dialog.querySelector('[role="listbox"]') as HTMLElement;
const status = dialog.querySelector('[role="status"]') as HTMLElement;
const chooser = dialog.querySelector('input[type="file"]') as HTMLInputElement;

let timer: ReturnType<typeof setTimeout> | undefined;
let running: AbortController | undefined;
/** What Enter waits for: the options of the text in the field. */
let shown: Promise<void> = Promise.resolve();

/** @param text what the field of the page holds @param file whose asset to find */
export function open(text: string, file?: File): void {
  if (!dialog.open) {
    status.textContent = "";
    dialog.showModal();
    field.value = text;
    field.setSelectionRange(text.length, text.length);
    void load();
  }
  if (file) void findFile(file);
}

const options = () => [...list.querySelectorAll<HTMLElement>('[role="option"]')];
const active = () => list.querySelector<HTMLElement>('[aria-selected="true"]');

function activate(option: HTMLElement | undefined): void {
  active()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", option?.id ?? "");
}

/** Loads options, rendered and escaped by the server. A newer search aborts this one. */
function load(): Promise<void> {
  clearTimeout(timer);
  running?.abort();
  const { signal } = (running = new AbortController());
  shown = show(field.value.trim(), signal).catch((error: Error) => {
    if (error.name !== "AbortError") status.textContent = "Couldn't search. Try again.";
  });
  return shown;
}

async function show(query: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`/web/search-results?${new URLSearchParams({ query })}`, { signal });
  if (!response.ok) throw new Error(String(response.status));
  const found = new DOMParser().parseFromString(await response.text(), "text/html").body;
  showLocalTimes(found);
  list.replaceChildren(...found.childNodes);
  addCommands(query);
  for (const [index, option] of options().entries()) option.id = `palette-option-${index}`;
  list.scrollTop = 0;
  // Enter in an empty field does nothing.
  activate(query === "" ? undefined : options()[0]);
  status.textContent = query === "" ? "" : countOf(options().length - 1);
}

const countOf = (count: number): string =>
  count === 0 ? "No results." : `${count} ${count === 1 ? "result" : "results"}`;

/** The commands that the query names, before the other options; behind what it names exactly. */
function addCommands(query: string): void {
  const words = query.toLowerCase().split(/\s+/);
  const commands = listCommands().filter(({ label }) => {
    const names = label.toLowerCase().split(/\s+/);
    return words.every((word) => names.some((name) => name.startsWith(word)));
  });
  if (commands.length === 0) return;
  const group = document.createElement("div");
  group.setAttribute("role", "group");
  group.ariaLabel = "Commands";
  const title = document.createElement("div");
  title.className = "options-title";
  title.ariaHidden = "true";
  title.textContent = "Commands";
  group.append(title, ...commands.map(commandOption));
  const jump = list.querySelector('[aria-label="Jump to"]');
  jump ? jump.after(group) : list.prepend(group);
}

function commandOption(command: Command): HTMLElement {
  const option = document.createElement("div");
  option.setAttribute("role", "option");
  option.ariaSelected = "false";
  option.className = "option-command";
  option.textContent = command.label;
  option.addEventListener("click", () => void runCommand(command));
  return option;
}

async function runCommand({ run }: Command): Promise<void> {
  // A click of the page needs the page: a modal dialog makes it inert.
  dialog.close();
  try {
    const done = await run();
    if (done === undefined) return;
    dialog.showModal();
    status.textContent = done;
  } catch {
    dialog.showModal();
    status.textContent = "Couldn't run this command. Try again.";
  }
}

async function findFile(file: File): Promise<void> {
  status.textContent = `Computing the SHA-256 of ${file.name}…`;
  try {
    field.value = await hashOf(file);
    await load();
    const isFound = list.querySelector('[aria-label="Jump to"]') !== null;
    status.textContent = isFound
      ? `${file.name} is this asset.`
      : `No asset that you can see is ${file.name}.`;
  } catch (error) {
    status.textContent = (error as Error).message;
  }
}

field.addEventListener("input", () => {
  clearTimeout(timer);
  running?.abort();
  const { promise, resolve } = Promise.withResolvers<void>();
  shown = promise;
  timer = setTimeout(() => void load().then(resolve), debounceMs);
});
field.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    const all = options();
    const at = all.indexOf(active() as HTMLElement);
    activate(all[(at + step + all.length) % all.length]);
  } else if (event.key === "Enter") {
    event.preventDefault();
    void shown.then(() => active()?.click());
  } else if (event.key === "Escape") {
    event.preventDefault(); // it would clear the field first
    dialog.close();
  }
});
chooser.addEventListener("change", () => {
  const [file] = chooser.files ?? [];
  if (file) void findFile(file);
});
dialog.addEventListener("dragover", (event) => event.preventDefault());
dialog.addEventListener("drop", (event) => {
  event.preventDefault();
  event.stopPropagation();
  const [file] = event.dataTransfer?.files ?? [];
  if (file) void findFile(file);
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // the backdrop
});
dialog.addEventListener("close", () => {
  clearTimeout(timer);
  running?.abort();
});
