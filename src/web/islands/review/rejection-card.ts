import { call } from "../page/session.js";

interface Saved {
  id: string;
  decision: string;
  isWaiting: boolean;
}

/** Shows what the note of a rejection became: below the news of it, unless other news came meanwhile. */
export async function showConsequences(
  toast: HTMLElement,
  saved: readonly Saved[],
  onLeave: () => void,
): Promise<void> {
  const [rejected, another] = saved.filter(
    ({ decision, isWaiting }) => decision === "rejected" && !isWaiting,
  );
  if (!rejected || another) return;
  const news = toast.textContent;
  const response = await fetch(`/web/rejections/${rejected.id}`);
  if (!response.ok || toast.textContent !== news) return;
  toast.insertAdjacentHTML("beforeend", await response.text());
  for (const link of toast.querySelectorAll("a")) link.addEventListener("click", onLeave);
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => {
    toast.hidden = true;
  });
  toast.querySelector(".reword .buttons")?.append(close);
  saveWordsHere(toast);
}

/** Saves the words without leaving the page. */
function saveWordsHere(toast: HTMLElement): void {
  const form = toast.querySelector<HTMLFormElement>(".reword");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const status = form.querySelector('[role="status"]') as HTMLElement;
    const text = new FormData(form).get("text");
    try {
      const { id } = await call<{ id: number }>("POST", `/decisions/${form.dataset.id}/reword`, { text });
      form.dataset.id = String(id);
      form.action = form.action.replace(/\d+(?=\/reword$)/, String(id));
      status.textContent = `Saved as decision ${id}.`;
    } catch (error) {
      status.textContent = (error as Error).message;
    }
  });
}
