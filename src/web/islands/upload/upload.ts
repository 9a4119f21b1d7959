/**
 * Uploads dropped, pasted, or picked files one at a time: reserve, upload with progress, finalize. Each can
 * be canceled or retried.
 */

import { refresh } from "../live/refresh.js";
import { call } from "../page/session.js";
import { finalize } from "./finalize.js";
import { cancelResumable, type Reservation, sendResumable } from "./resumable.js";
import { savedReservation } from "./unfinished.js";

/** Smaller files are sent in one request: sending them again costs little. */
const resumableBytesMin = 8 * 2 ** 20;

const form = document.querySelector<HTMLFormElement>("[data-upload]");

interface UploadedAsset {
  id: string;
  title: string;
  repeats?: { note: string | null; likeness: string } | null;
}

/** A file that was rejected before waits for a review again, but its uploader should know. */
function doneText({ repeats }: UploadedAsset): string {
  if (!repeats) return "Done";
  const texts: Record<string, string> = {
    identical: "This file was rejected before",
    reencoded: "This file looks like one that was rejected",
    unchanged_places: "Marked places are unchanged",
  };
  return `Done. ${texts[repeats.likeness]}${repeats.note === null ? "." : `: ${repeats.note}`}`;
}

if (form) start(form);

/**
 * The content origin is this server under another name, so uploads to it go to the page's own origin, which
 * needs no CORS preflight. A bucket URL is returned unchanged.
 */
function sameOriginUrl(address: string): string {
  const bytes = `${form?.dataset.upload}/`;
  return address.startsWith(bytes) ? `/${address.slice(bytes.length)}` : address;
}

function start(form: HTMLFormElement): void {
  const list = form.querySelector(".uploads") as HTMLUListElement;
  const picker = form.elements.namedItem("file") as HTMLInputElement;
  (form.querySelector('[type="submit"]') as HTMLElement).hidden = true; // picking a file uploads it
  let uploadQueue: Promise<void> = Promise.resolve();
  let waiting = 0;

  function uploadFiles(files: Iterable<File>): void {
    const box = form.closest("details");
    if (box && [...files].length > 0) box.open = true; // the progress of a drop anywhere
    // A new version is a single file.
    for (const file of [...files].slice(0, picker.multiple ? undefined : 1)) {
      const data = new FormData(form);
      const work = addRow(file, list, metadataOf(data), (again) => enqueue(again));
      enqueue(work);
    }
  }

  function enqueue(work: () => Promise<UploadedAsset | null>): void {
    waiting++;
    uploadQueue = uploadQueue.then(async () => {
      const finished = await work();
      waiting--;
      if (finished) showUploaded(finished);
    });
  }

  function showUploaded({ id }: UploadedAsset): void {
    if (form.elements.namedItem("replaces")) location.assign(`/assets/${id}`);
    else if (waiting === 0) void refresh();
  }

  const uploadPicked = () => {
    if (picker.files?.length) uploadFiles([...picker.files]);
    picker.value = "";
  };
  picker.addEventListener("change", uploadPicked);
  uploadPicked(); // files picked before this script ran
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("paste", (event) => uploadFiles(event.clipboardData?.files ?? []));
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
    uploadFiles(event.dataTransfer.files);
  });
}

/** The form's fields as request body: numbers as numbers, empty fields left out. */
function metadataOf(data: FormData): Record<string, unknown> {
  const fields = [...data].filter(([name, value]) => name !== "file" && name !== "csrf" && value !== "");
  return Object.fromEntries(
    fields.map(([name, value]) => [name, name === "issue" || name === "pr" ? Number(value) : value]),
  );
}

/** Adds a row to the list. @returns uploads the file; resolves to null if it was canceled or failed */
function addRow(
  file: File,
  list: HTMLElement,
  metadata: Record<string, unknown>,
  tryAgain: (work: () => Promise<UploadedAsset | null>) => void,
): () => Promise<UploadedAsset | null> {
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

  let abort = () => {};
  let isCanceled = false;
  const saved = savedReservation(file, metadata);
  const setButton = (label: string, act: () => void) => {
    button.textContent = label;
    button.setAttribute("aria-label", `${label}: ${file.name}`);
    button.onclick = act;
  };
  const retry = () => {
    isCanceled = false;
    state.textContent = "Waiting";
    showCancel();
    tryAgain(work);
  };
  const showCancel = () =>
    setButton("Cancel", () => {
      isCanceled = true;
      abort();
      bar.value = 0;
      state.textContent = "Canceled";
      setButton("Retry", retry);
    });
  showCancel();

  async function work(): Promise<UploadedAsset | null> {
    if (isCanceled) return null;
    try {
      const reserved = await (file.size < resumableBytesMin ? sendOnce() : sendInPieces());
      button.hidden = true; // finalizing cannot be canceled
      state.textContent = "Processing";
      const asset = await finalize<UploadedAsset>(reserved);
      saved.remove();
      const link = document.createElement("a");
      link.href = `/assets/${asset.id}`;
      link.textContent = asset.title;
      name.replaceChildren(link);
      state.textContent = doneText(asset);
      row.classList.add("done");
      button.remove();
      return asset;
    } catch (error) {
      if (isCanceled) return null;
      bar.value = 0;
      state.textContent = (error as Error).message;
      row.classList.add("failed");
      button.hidden = false;
      setButton("Retry", retry);
      return null;
    }
  }

  const reserve = () => call<Reservation>("POST", "/assets/presign", { ...metadata, filename: file.name });

  /** @param from where this attempt began, for its rate */
  function showProgress(offset: number, from: { offset: number; at: number }): void {
    bar.value = offset;
    const perSecond = (offset - from.offset) / Math.max(0.001, (performance.now() - from.at) / 1000);
    const percent = Math.floor((offset / Math.max(file.size, 1)) * 100);
    state.textContent = `${percent}%, ${(perSecond / 1e6).toFixed(1)} MB/s`;
  }

  async function sendInPieces(): Promise<Reservation> {
    row.classList.remove("failed");
    for (let loaded = saved.load(); ; loaded = null) {
      const reserved = loaded ?? (await reserve());
      saved.save(reserved);
      const url = sameOriginUrl(reserved.resumable_url);
      const controller = new AbortController();
      abort = () => {
        controller.abort();
        saved.remove();
        void cancelResumable(url);
      };
      let from: { offset: number; at: number } | null = null;
      const isComplete = await sendResumable({
        url,
        file,
        signal: controller.signal,
        onProgress: (offset) => showProgress(offset, (from ??= { offset, at: performance.now() })),
        onRetry() {
          from = null;
          state.textContent = "Connection lost. Retrying…";
        },
      });
      if (isComplete) return reserved;
      saved.remove();
      if (!loaded) throw new Error("The server deleted this upload");
    }
  }

  async function sendOnce(): Promise<Reservation> {
    const reserved = await reserve();
    await new Promise<void>((resolve, reject) => {
      row.classList.remove("failed");
      const from = { offset: 0, at: performance.now() };
      const request = new XMLHttpRequest();
      abort = () => request.abort();
      request.open(reserved.method, sameOriginUrl(reserved.upload_url));
      for (const [header, value] of Object.entries(reserved.headers)) request.setRequestHeader(header, value);
      request.upload.onprogress = ({ loaded }) => showProgress(loaded, from);
      request.onload = () =>
        request.status < 300 ? resolve() : reject(new Error(`Upload rejected (HTTP ${request.status})`));
      request.onerror = () => reject(new Error("Connection lost"));
      request.onabort = () => reject(new Error("Canceled"));
      request.send(file);
    });
    return reserved;
  }

  return work;
}
