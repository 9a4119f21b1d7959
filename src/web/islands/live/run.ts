/** The live page of a run or a task: follows its events. On a run, keys move between attempts. */
import { isForElsewhere } from "../page/keys.js";
import { followPage } from "./live-sections.js";

const { filters = "{}", newest = "" } = (document.querySelector("[data-filters]") as HTMLElement).dataset;
followPage({ filters: JSON.parse(filters), newest, pauseMs: 250 });

const attempts: Record<string, string> = { j: "next", k: "prev" };

document.addEventListener("keydown", (event) => {
  const rel = attempts[event.key];
  if (rel && !isForElsewhere(event)) document.querySelector<HTMLElement>(`.attempts [rel=${rel}]`)?.click();
});
