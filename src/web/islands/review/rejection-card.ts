import { call } from "../page/session.js";

interface Saved {
  id: string;
  decision: string;
  isWaiting: boolean;
}

/** Rejections whose decisions are named at once. */
const namedMax = 3;

/** Shows what the notes of rejections became: below the news of them, unless other news came meanwhile. */
export async function showConsequences(
  toast: HTMLElement,
  saved: readonly Saved[],
  onLeave: () => void,
): Promise<void> {
  const rejected = saved.filter(({ decision, isWaiting }) => decision === "rejected" && !isWaiting);
  if (rejected.length === 0) return;
  const news = toast.textContent;
  const cards = await Promise.all(rejected.slice(0, namedMax).map(loadCard));
  if (toast.textContent !== news) return;
  toast.insertAdjacentHTML("beforeend", (rejected.length === 1 && cards[0]) || namesOf(cards));
  for (const link of toast.querySelectorAll("a")) link.addEventListener("click", onLeave);
  if (rejected.length > 1) return;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => {
    toast.hidden = true;
  });
  toast.querySelector(".reword .buttons")?.append(close);
  saveWordsHere(toast);
}

/** The card of a rejection as HTML; empty for visitors who may not read its decision. */
async function loadCard({ id }: Saved): Promise<string> {
  const response = await fetch(`/web/rejections/${id}`);
  return response.ok ? response.text() : "";
}

/** `Decision 27, decision 28 carry your notes to the next briefs.` */
function namesOf(cards: readonly string[]): string {
  const links = cards.flatMap((card) => /<a href="[^"]*">decision \d+<\/a>/.exec(card)?.[0] ?? []);
  if (links.length === 0) return "";
  return ` <span class="named">Your notes are ${links.join(", ")}: the next briefs carry them.</span>`;
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
