/** The style sheet of all pages. Each subject has its file beside its pages; what all share is here. */
import annotationStyle from "../annotations/annotations.css" with { type: "text" };
import libraryStyle from "../assets/library.css" with { type: "text" };
import bulkReviewStyle from "../bulk-review/bulk-review.css" with { type: "text" };
import compareStyle from "../desk/compare.css" with { type: "text" };
import deskStyle from "../desk/desk.css" with { type: "text" };
import filmstripStyle from "../desk/filmstrip.css" with { type: "text" };
import stageStyle from "../desk/stage.css" with { type: "text" };
import textStyle from "../desk/text/text.css" with { type: "text" };
import theaterStyle from "../desk/theater.css" with { type: "text" };
import docsStyle from "../docs/docs.css" with { type: "text" };
import feedStyle from "../feed/feed.css" with { type: "text" };
import listStyle from "../lists/lists.css" with { type: "text" };
import tableStyle from "../lists/table.css" with { type: "text" };
import memoryStyle from "../memory/memory.css" with { type: "text" };
import projectStyle from "../projects/projects.css" with { type: "text" };
import runStyle from "../runs/runs.css" with { type: "text" };
import searchStyle from "../search/search.css" with { type: "text" };
import settingsStyle from "../settings/settings.css" with { type: "text" };
import shareStyle from "../shares/shares.css" with { type: "text" };
import taskStyle from "../tasks/tasks.css" with { type: "text" };
import todayStyle from "../today/today.css" with { type: "text" };
import usageStyle from "../usage/usage.css" with { type: "text" };
import variantSetStyle from "../variant-sets/variant-sets.css" with { type: "text" };
import verdictStyle from "../verdicts/verdicts.css" with { type: "text" };
import welcomeStyle from "../welcome/welcome.css" with { type: "text" };
import base from "./base.css" with { type: "text" };
import components from "./components.css" with { type: "text" };
import tokens from "./tokens.css" with { type: "text" };
import touchStyle from "./touch.css" with { type: "text" };

export const styleSheet: string = [
  tokens,
  base,
  components,
  tableStyle,
  listStyle,
  feedStyle,
  todayStyle,
  projectStyle,
  runStyle,
  taskStyle,
  libraryStyle,
  bulkReviewStyle,
  memoryStyle,
  deskStyle,
  compareStyle,
  textStyle,
  annotationStyle,
  variantSetStyle,
  verdictStyle,
  stageStyle,
  filmstripStyle,
  theaterStyle,
  docsStyle,
  settingsStyle,
  searchStyle,
  shareStyle,
  usageStyle,
  welcomeStyle,
  touchStyle,
]
  .join("")
  .replace(/\/\*.*?\*\//gs, "")
  .replace(/(?<=[{};,])\s*\n\s*|\s*\n\s*(?=\})/g, "") // compressed, 6 % smaller
  .replace(/\s*\n\s*/g, " ")
  .replace(/: /g, ":");
