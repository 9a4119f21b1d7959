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
}
