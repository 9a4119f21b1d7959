import { type AssetChain, approved, pending, published, rejected } from "../assets/asset-versions.ts";

/** What was made for the iPhone app. */
export const ternLibrary: readonly AssetChain[] = [
  {
    task: "Sun glare: buttons cannot be told apart on deck",
    title: "Deck theme in the sun",
    filename: "deck-sun.mp4",
    by: "human:ines",
    tags: ["deck"],
    versions: [approved],
  },
  {
    task: "Sun glare: buttons cannot be told apart on deck",
    title: "Deck buttons",
    filename: "deck-buttons.png",
    by: "agent:claude-code",
    tags: ["deck", "night"],
    versions: [
      rejected("At night this blinds. Red on black after sunset, and nothing brighter than the compass."),
      published,
    ],
  },
  {
    task: "Widget with the next high water",
    title: "Lock screen widget, three sizes",
    filename: "widget.png",
    by: "agent:claude-code",
    tags: ["widget", "store"],
    versions: [published],
  },
  {
    task: "Print the log as the authorities want it",
    title: "Page of the log book",
    filename: "log-book.pdf",
    by: "agent:codex",
    tags: ["export"],
    versions: [rejected("The engine hours are missing, the authorities ask for them first."), published],
  },
  {
    task: "Anchor alarm is silent in focus mode",
    title: "Anchor alarm",
    filename: "anchor.wav",
    by: "token:design-laptop",
    tags: ["alarm"],
    versions: [
      rejected("I slept through it twice. Start at 800 Hz and rise until somebody answers."),
      approved,
    ],
  },
  {
    task: "Wear a glove: the stop button is too small",
    title: "Stop by holding, to try",
    filename: "hold.html",
    by: "agent:claude-code",
    tags: ["prototype"],
    versions: [rejected("It also stops while the map is moved. Show how the two gestures are told apart.")],
  },
  {
    task: "Import logs of other apps",
    title: "Sample track, one day",
    filename: "veere-hoek.gpx",
    by: "human:ines",
    tags: ["sample"],
    versions: [approved],
  },
  {
    task: "Crash when the log is opened during a sync",
    title: "Log while a sync runs",
    filename: "sync-bar.webp",
    by: "agent:codex",
    tags: ["sync"],
    versions: [pending],
  },
];
