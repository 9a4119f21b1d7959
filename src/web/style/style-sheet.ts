/** The style sheet of all pages, from one file for each subject. */
import annotationStyle from "./annotations.css" with { type: "text" };
import base from "./base.css" with { type: "text" };
import compareStyle from "./compare.css" with { type: "text" };
import components from "./components.css" with { type: "text" };
import designStyle from "./design.css" with { type: "text" };
import deskStyle from "./desk.css" with { type: "text" };
import docsStyle from "./docs.css" with { type: "text" };
import feedStyle from "./feed.css" with { type: "text" };
import inboxStyle from "./inbox.css" with { type: "text" };
import libraryStyle from "./library.css" with { type: "text" };
import memoryStyle from "./memory.css" with { type: "text" };
import projectStyle from "./projects.css" with { type: "text" };
import runStyle from "./runs.css" with { type: "text" };
import searchStyle from "./search.css" with { type: "text" };
import settingsStyle from "./settings.css" with { type: "text" };
import shareStyle from "./shares.css" with { type: "text" };
import todayStyle from "./today.css" with { type: "text" };
import tokens from "./tokens.css" with { type: "text" };
import usageStyle from "./usage.css" with { type: "text" };
import variantSetStyle from "./variant-sets.css" with { type: "text" };
import verdictStyle from "./verdicts.css" with { type: "text" };
import welcomeStyle from "./welcome.css" with { type: "text" };

export const styleSheet: string = [
  tokens,
  base,
  components,
  feedStyle,
  todayStyle,
  inboxStyle,
  projectStyle,
  runStyle,
  libraryStyle,
  memoryStyle,
  deskStyle,
  compareStyle,
  annotationStyle,
  variantSetStyle,
  verdictStyle,
  designStyle,
  docsStyle,
  settingsStyle,
  searchStyle,
  shareStyle,
  usageStyle,
  welcomeStyle,
]
  .join("")
  .replace(/\/\*.*?\*\//gs, "");
