/** The commands of a page: what has `data-command`, which names it, is clicked or copied. */

export interface Command {
  label: string;
  /** @returns what was done, if the page does not show it */
  run(): Promise<string | undefined>;
}

/** The commands that the page offers now. Of a list of items, only those of the opened one. */
export function listCommands(): Command[] {
  const commands = ["main", "header"].flatMap((part) => [
    ...document.querySelectorAll<HTMLElement>(`${part} [data-command]`),
  ]);
  return commands
    .filter((element) => element.closest("li:not(.open)") === null)
    .map((element) => ({ label: element.dataset.command as string, run: () => run(element) }));
}

async function run(element: HTMLElement): Promise<string | undefined> {
  const { brief } = element.dataset;
  if (brief === undefined) {
    element.click();
    return undefined;
  }
  const response = await fetch(`/web${brief}`);
  if (!response.ok) throw new Error(String(response.status));
  const { text, chars } = (await response.json()) as { text: string; chars: number };
  await navigator.clipboard.writeText(text);
  return `Copied ${chars.toLocaleString("en")} characters.`;
}
