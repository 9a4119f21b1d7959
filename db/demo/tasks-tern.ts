import type { Task } from "./tasks.ts";

/** A month of work on the iPhone app. */
export const ternTasks: readonly Task[] = [
  {
    ...{ asks: "Track stops recording when the screen locks", label: "bug" },
    ...{
      does: "Keep the track in a background session",
      files: ["Tern/Track/Recorder.swift", "TernTests/RecorderTests.swift"],
    },
  },
  {
    ...{ asks: "Log entry is lost when the app is closed while saving", label: "bug" },
    ...{
      does: "Write an entry in one transaction before it is shown",
      files: ["Tern/Log/Store.swift", "TernTests/StoreTests.swift"],
    },
    failed: "the simulator did not boot on mac-mini-2",
  },
  {
    ...{ asks: "Sun glare: buttons cannot be told apart on deck", label: "design" },
    ...{
      does: "Add a deck theme with large, outlined buttons",
      files: ["Tern/Theme/Deck.swift", "Tern/Views/LogBar.swift"],
    },
    changes: "Good in the sun. At night it blinds: switch to red on black after sunset.",
  },
  {
    ...{ asks: "Speed jumps to 90 knots under a bridge", label: "bug" },
    ...{
      does: "Drop fixes that no boat could have sailed",
      files: ["Tern/Track/Filter.swift", "TernTests/FilterTests.swift"],
    },
  },
  {
    ...{ asks: "Sync uploads the whole log every time", label: "performance" },
    ...{
      does: "Send only what changed since the last harbour",
      files: ["Tern/Sync/Delta.swift", "Tern/Sync/Client.swift"],
    },
    red: "an entry that was deleted on both sides comes back",
  },
  {
    ...{ asks: "Widget with the next high water", label: "feature" },
    ...{
      does: "Add a lock screen widget with the next high water",
      files: ["TernWidget/HighWater.swift", "Tern/Tides/Store.swift"],
    },
  },
  {
    ...{ asks: "Bearings are shown true, skippers expect magnetic", label: "bug" },
    ...{
      does: "Show magnetic bearings and keep the true ones",
      files: ["Tern/Model/Bearing.swift", "TernTests/BearingTests.swift"],
    },
  },
  {
    ...{ asks: "VoiceOver reads the compass as 'image'", label: "accessibility" },
    ...{
      does: "Speak the course in words, every ten degrees",
      files: ["Tern/Views/Compass.swift", "TernUITests/CompassTests.swift"],
    },
  },
  {
    ...{ asks: "Battery: 18 % for a day of track", label: "performance" },
    ...{
      does: "Take a fix every ten seconds while the course is steady",
      files: ["Tern/Track/Recorder.swift", "Tern/Track/Cadence.swift"],
    },
    changes:
      "Ten seconds cuts the corners when tacking. Go back to one second as soon as the course turns by more than 15 degrees.",
  },
  {
    ...{ asks: "Move the log to the new SwiftData store", label: "chore" },
    ...{ does: "Replace SQLite by SwiftData", files: ["Tern/Log/Store.swift", "Tern/Log/Migration.swift"] },
    dropped: "Opening a log of 4,000 entries takes six seconds with it. We stay with SQLite.",
  },
  {
    ...{ asks: "Crew list asks for the birthday twice", label: "bug" },
    ...{
      does: "Ask for a birthday once",
      files: ["Tern/Crew/Form.swift", "TernTests/CrewTests.swift"],
      by: "human:ines",
    },
  },
  {
    ...{ asks: "Print the log as the authorities want it", label: "feature" },
    ...{
      does: "Export a month of the log as a signed PDF",
      files: ["Tern/Export/LogBook.swift", "Tern/Export/Page.swift"],
    },
    failed: "two snapshot tests differ by one pixel on the runner, not on a desk",
  },
  {
    ...{ asks: "Anchor alarm is silent in focus mode", label: "bug" },
    ...{
      does: "Send the anchor alarm as a critical alert",
      files: ["Tern/Anchor/Alarm.swift", "Tern/Anchor/Watch.swift"],
    },
  },
  {
    ...{ asks: "Photos of the log fill the phone", label: "performance" },
    ...{
      does: "Keep photos at 2,000 px and the original in the harbour",
      files: ["Tern/Log/Photos.swift", "Tern/Sync/Client.swift"],
    },
  },
  {
    ...{ asks: "Book a berth from the log", label: "feature" },
    ...{
      does: "Open harbor with boat, crew and time of arrival filled in",
      files: ["Tern/Harbor/Handover.swift", "Tern/Model/Boat.swift"],
    },
    changes: "Ask before the crew's names leave the phone.",
  },
  {
    ...{ asks: "German: 'Knoten' is cut off on small phones", label: "text" },
    ...{
      does: "Let units wrap below their number",
      files: ["Tern/Views/Readout.swift", "TernUITests/ReadoutTests.swift"],
    },
  },
  {
    ...{ asks: "Tide curve is empty west of Brest", label: "bug" },
    ...{
      does: "Say which gauge is nearest when none is near",
      files: ["Tern/Tides/Curve.swift", "Tern/Tides/Store.swift"],
    },
  },
  {
    ...{ asks: "Wear a glove: the stop button is too small", label: "design" },
    ...{
      does: "Stop a track by holding anywhere for a second",
      files: ["Tern/Views/LogBar.swift", "TernUITests/StopTests.swift"],
    },
    red: "the gesture also stops the track while the map is being moved",
  },
  {
    ...{ asks: "Import logs of other apps", label: "feature" },
    ...{ does: "Read GPX tracks into the log", files: ["Tern/Import/Gpx.swift", "TernTests/GpxTests.swift"] },
    failed: "the parser ran out of memory on a track of 310 MB",
  },
  {
    ...{ asks: "Clock of the boat differs from the phone's", label: "bug" },
    ...{
      does: "Keep times in UTC and show the boat's offset",
      files: ["Tern/Model/Clock.swift", "TernTests/ClockTests.swift"],
    },
  },
  { asks: "Share a voyage with people ashore", label: "feature" },
  {
    ...{ asks: "Crash when the log is opened during a sync", label: "bug" },
    ...{
      does: "Read the log from a snapshot while a sync writes",
      files: ["Tern/Log/Store.swift", "Tern/Sync/Client.swift"],
    },
  },
  { asks: "Watch app: log a sail change from the wrist", label: "feature" },
];
