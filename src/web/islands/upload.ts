/**
 * Uploads dropped, pasted, or picked files one at a time: reserve, upload with progress, finalize. Each can be
 * canceled or retried.
 */
import { refresh } from "./refresh.js";
import { call } from "./session.js";

const form = document.querySelector<HTMLFormElement>("[data-upload]");

interface Reserved {
  upload_url: string;
  method: string;
  headers: Record<string, string>;
  finalize_body: object;
  id: string;
}

interface Finished {
  id: string;
  title: string;
}

if (form) start(form);

/**
 * The content origin is this server under another name, so uploads to it go to the page's own origin, which
 * needs no CORS preflight. A bucket URL is returned unchanged.
 */
function hereIfOurs(address: string): string {
  const bytes = `${form?.dataset.upload}/`;
  return address.startsWith(bytes) ? `/${address.slice(bytes.length)}` : address;
}

function start(form: HTMLFormElement): void {
  const list = form.querySelector(".uploads") as HTMLUListElement;
  const picker = form.elements.namedItem("file") as HTMLInputElement;
  (form.querySelector('[type="submit"]') as HTMLElement).hidden = true; // picked files are uploaded immediately
  let line: Promise<void> = Promise.resolve();
  let waiting = 0;

  function take(files: Iterable<File>): void {
    // A new version is a single file.
    for (const file of [...files].slice(0, picker.multiple ? undefined : 1)) {
      const data = new FormData(form);
      const work = rowOf(file, list, metadataOf(data), (again) => enqueue(again));
      enqueue(work);
    }
  }

  function enqueue(work: () => Promise<Finished | null>): void {
    waiting++;
    line = line.then(async () => {
      const finished = await work();
      waiting--;
      if (finished) arrived(finished);
    });
  }

  function arrived({ id }: Finished): void {
    if (form.elements.namedItem("replaces")) location.assign(`/assets/${id}`);
    else if (waiting === 0) void refresh();
  }

  const takePicked = () => {
    if (picker.files?.length) take([...picker.files]);
    picker.value = "";
  };
  picker.addEventListener("change", takePicked);
  takePicked(); // files picked before this script ran
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("paste", (event) => take(event.clipboardData?.files ?? []));
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    take(event.dataTransfer.files);
  });
}

/** The form's fields as request body: numbers as numbers, empty fields left out. */
function metadataOf(data: FormData): Record<string, unknown> {
  const said = [...data].filter(([name, value]) => name !== "file" && name !== "csrf" && value !== "");
  return Object.fromEntries(
    said.map(([name, value]) => [name, name === "issue" || name === "pr" ? Number(value) : value]),
  );
}

/** Adds a row to the list. @returns a function that uploads the file; it resolves to null if that was canceled or failed */
function rowOf(
  file: File,
  list: HTMLElement,
  metadata: Record<string, unknown>,
  tryAgain: (work: () => Promise<Finished | null>) => void,
): () => Promise<Finished | null> {
  const row = document.createElement("li");
  const name = document.createElement("span");
  const bar = document.createElement("progress");
  const state = document.createElement("span");
  const button = document.createElement("button");
  name.className = "name";
  name.textContent = file.name;
  bar.max = Math.max(file.size, 1);
  bar.value = 0;
  bar.setAttribute("aria-label", `Uploading ${file.name}`);
  state.className = "soft";
  state.textContent = "Waiting";
  button.type = "button";
  row.append(name, bar, state, button);
  list.append(row);

  let request: XMLHttpRequest | null = null;
  let stopped = false;
  const offer = (label: string, act: () => void) => {
    button.textContent = label;
    button.setAttribute("aria-label", `${label}: ${file.name}`);
    button.onclick = act;
  };
  const again = () => {
    stopped = false;
    state.textContent = "Waiting";
    offerStop();
    tryAgain(work);
  };
  const offerStop = () =>
    offer("Cancel", () => {
      stopped = true;
      request?.abort();
      bar.value = 0;
      state.textContent = "Canceled";
      offer("Retry", again);
    });
  offerStop();

  async function work(): Promise<Finished | null> {
    if (stopped) return null;
    try {
      const reserved = await call<Reserved>("POST", "/assets/presign", { ...metadata, filename: file.name });
      await send(reserved);
      button.hidden = true; // finalizing cannot be canceled
      state.textContent = "Processing";
      const asset = await call<Finished>("POST", `/assets/${reserved.id}/finalize`, reserved.finalize_body);
      const link = document.createElement("a");
      link.href = `/assets/${asset.id}`;
      link.textContent = asset.title;
      name.replaceChildren(link);
      state.textContent = "Done";
      row.classList.add("done");
      button.remove();
      return asset;
    } catch (error) {
      if (stopped) return null;
      bar.value = 0;
      state.textContent = (error as Error).message;
      row.classList.add("failed");
      button.hidden = false;
      offer("Retry", again);
      return null;
    }
  }

  const send = (reserved: Reserved): Promise<void> =>
    new Promise((resolve, reject) => {
      row.classList.remove("failed");
      const began = performance.now();
      request = new XMLHttpRequest();
      request.open(reserved.method, hereIfOurs(reserved.upload_url));
      for (const [header, value] of Object.entries(reserved.headers)) request.setRequestHeader(header, value);
      request.upload.onprogress = ({ loaded }) => {
        bar.value = loaded;
        const perSecond = loaded / Math.max(0.001, (performance.now() - began) / 1000);
        state.textContent = `${Math.floor((loaded / Math.max(file.size, 1)) * 100)}%, ${(perSecond / 1e6).toFixed(1)} MB/s`;
      };
      request.onload = () =>
        request && request.status < 300
          ? resolve()
          : reject(new Error(`Upload rejected (HTTP ${request?.status})`));
      request.onerror = () => reject(new Error("Connection lost"));
      request.onabort = () => reject(new Error("Canceled"));
      request.send(file);
    });

  return work;
}
