/** Files dropped, pasted or picked: reserved, sent with their progress, finalized. One after the other; each can be stopped or tried again. */
import { call } from "./session.js";

const form = document.getElementById("drop") as HTMLFormElement;
const list = document.getElementById("uploads") as HTMLUListElement;
const picker = form.elements.namedItem("file") as HTMLInputElement;

interface Reserved {
  upload_url: string;
  method: string;
  headers: Record<string, string>;
  finalize_body: object;
  id: string;
}

let line: Promise<void> = Promise.resolve();

function take(files: Iterable<File>): void {
  for (const file of files) {
    const row = rowOf(file);
    line = line.then(() => row.start());
  }
}

function rowOf(file: File): { start(): Promise<void> } {
  const row = document.createElement("li");
  const name = document.createElement("span");
  const bar = document.createElement("progress");
  const state = document.createElement("span");
  const button = document.createElement("button");
  name.textContent = file.name;
  bar.max = Math.max(file.size, 1);
  bar.setAttribute("aria-label", `Sending ${file.name}`);
  state.textContent = "waiting";
  button.type = "button";
  row.append(name, bar, state, button);
  list.append(row);

  let request: XMLHttpRequest | null = null;
  let stopped = false;
  const offer = (label: string, work: () => void) => {
    button.textContent = label;
    button.onclick = work;
  };
  const start = async (): Promise<void> => {
    if (stopped) return;
    offer("Cancel", () => {
      stopped = true;
      request?.abort();
      state.textContent = "cancelled";
      button.remove();
    });
    try {
      const data = new FormData(form);
      const issue = Number(data.get("issue"));
      const metadata = { project: data.get("project"), ...(issue > 0 ? { issue } : {}) };
      const reserved = await call<Reserved>("POST", "/assets", { ...metadata, presign: true, filename: file.name });
      await send(reserved);
      state.textContent = "looking at it";
      const asset = await call<{ id: string; title: string }>("POST", `/assets/${reserved.id}/finalize`, reserved.finalize_body);
      const link = document.createElement("a");
      link.href = `/assets/${asset.id}`;
      link.textContent = asset.title;
      name.replaceChildren(link);
      state.textContent = "done";
      button.remove();
    } catch (error) {
      if (stopped) return;
      state.textContent = (error as Error).message;
      offer("Try again", () => {
        line = line.then(start);
      });
    }
  };

  const send = (reserved: Reserved): Promise<void> =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      request = new XMLHttpRequest();
      request.open(reserved.method, reserved.upload_url);
      for (const [header, value] of Object.entries(reserved.headers)) request.setRequestHeader(header, value);
      request.upload.onprogress = ({ loaded }) => {
        bar.value = loaded;
        const perSecond = loaded / Math.max(0.001, (performance.now() - began) / 1000);
        state.textContent = `${Math.floor((loaded / Math.max(file.size, 1)) * 100)} %, ${(perSecond / 1e6).toFixed(1)} MB/s`;
      };
      request.onload = () =>
        request && request.status < 300 ? resolve() : reject(new Error(`the bytes were refused (${request?.status})`));
      request.onerror = () => reject(new Error("the connection broke"));
      request.send(file);
    });

  return { start };
}

picker.addEventListener("change", () => {
  take(picker.files ?? []);
  picker.value = "";
});
form.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("paste", (event) => take(event.clipboardData?.files ?? []));
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  take(event.dataTransfer?.files ?? []);
});
