import { approved, type Chain, file, mp4, pdf, pending, png, published, rejected, webp } from "./chain.ts";

/** What was made for the iPhone app. */
export const ternLibrary: readonly Chain[] = [
  {
    ...{ ...mp4, about: "Sun glare: buttons cannot be told apart on deck", title: "Deck theme in the sun", filename: "deck-sun.mp4" },
    ...{ by: "human:ines", tags: ["deck"], pixels: [1080, 1920], seconds: 27, kilobytes: 9_800, versions: [approved] },
  },
  {
    ...{ ...png, about: "Sun glare: buttons cannot be told apart on deck", title: "Deck buttons", filename: "deck-buttons.png" },
    ...{ by: "agent:claude-code", tags: ["deck", "night"], pixels: [1179, 2556], kilobytes: 201 },
    versions: [rejected("At night this blinds. Red on black after sunset, and nothing brighter than the compass."), published],
  },
  {
    ...{ ...png, about: "Widget with the next high water", title: "Lock screen widget, three sizes", filename: "widget.png" },
    ...{ by: "agent:claude-code", tags: ["widget", "store"], pixels: [1290, 2796], kilobytes: 340, versions: [published] },
  },
  {
    ...{ ...pdf, about: "Print the log as the authorities want it", title: "Page of the log book", filename: "log-book.pdf" },
    ...{ by: "agent:codex", tags: ["export"], kilobytes: 164 },
    versions: [rejected("The engine hours are missing, the authorities ask for them first."), published],
  },
  {
    ...{ kind: "audio", mime: "audio/wav", about: "Anchor alarm is silent in focus mode", title: "Anchor alarm", filename: "anchor.wav" },
    ...{ by: "token:design-laptop", tags: ["alarm"], seconds: 6, kilobytes: 1_030 },
    versions: [rejected("I slept through it twice. Start at 800 Hz and rise until somebody answers."), approved],
  },
  {
    ...{
      kind: "html",
      mime: "text/html",
      about: "Wear a glove: the stop button is too small",
      title: "Stop by holding, to try",
      filename: "hold.html",
    },
    ...{ by: "agent:claude-code", tags: ["prototype"], kilobytes: 44 },
    versions: [rejected("It also stops while the map is moved. Show how the two gestures are told apart.")],
  },
  {
    ...{
      ...file,
      mime: "application/gpx+xml",
      about: "Import logs of other apps",
      title: "Sample track, one day",
      filename: "veere-hoek.gpx",
    },
    ...{ by: "human:ines", tags: ["sample"], kilobytes: 2_870, versions: [approved] },
  },
  {
    ...{ ...webp, about: "Crash when the log is opened during a sync", title: "Log while a sync runs", filename: "sync-bar.webp" },
    ...{ by: "agent:codex", tags: ["sync"], pixels: [1179, 2556], kilobytes: 92, versions: [pending] },
  },
];
