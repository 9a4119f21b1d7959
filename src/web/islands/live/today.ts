/** Today: follows all events, keeps the tab's title and icon current, and moves between items by keyboard. */
import "../page/item-keys.js";
import { showInTab } from "../page/tab.js";
import { followPage } from "./live-sections.js";

const { newest = "" } = (document.getElementById("today") as HTMLElement).dataset;
/** A tab in the background follows no stream, but shows its counts. */
const hiddenPollMs = 60_000;

const update = followPage({ filters: {}, newest, pauseMs: 2_000, onUpdate: showInTab });
setInterval(() => {
  if (document.hidden) void update();
}, hiddenPollMs);
