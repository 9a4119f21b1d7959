import type { Task } from "../tasks/tasks.ts";

/** A month of work on the iPhone app. */
export const ternTasks: readonly Task[] = [
  {
    ...{ issueTitle: "Track stops recording when the screen locks", label: "bug" },
    ...{
      pullTitle: "Keep the track in a background session",
      files: ["Tern/Track/Recorder.swift", "TernTests/RecorderTests.swift"],
    },
  },
  {
    ...{ issueTitle: "Log entry is lost when the app is closed while saving", label: "bug" },
    ...{
      pullTitle: "Write an entry in one transaction before it is shown",
      files: ["Tern/Log/Store.swift", "TernTests/StoreTests.swift"],
    },
    runFailure: "the simulator did not boot on mac-mini-2",
  },
  {
    ...{ issueTitle: "Sun glare: buttons cannot be told apart on deck", label: "design" },
    ...{
      pullTitle: "Add a deck theme with large, outlined buttons",
      files: ["Tern/Theme/Deck.swift", "Tern/Views/LogBar.swift"],
    },
    requestedChanges: "Good in the sun. At night it blinds: switch to red on black after sunset.",
  },
  {
    ...{ issueTitle: "Speed jumps to 90 knots under a bridge", label: "bug" },
    ...{
      pullTitle: "Drop fixes that no boat could have sailed",
      files: ["Tern/Track/Filter.swift", "TernTests/FilterTests.swift"],
    },
  },
  {
    ...{ issueTitle: "Sync uploads the whole log every time", label: "performance" },
    ...{
      pullTitle: "Send only what changed since the last harbor",
      files: ["Tern/Sync/Delta.swift", "Tern/Sync/Client.swift"],
    },
    checkFailure: "an entry that was deleted on both sides comes back",
  },
  {
    ...{ issueTitle: "Widget with the next high water", label: "feature" },
    ...{
      pullTitle: "Add a lock screen widget with the next high water",
      files: ["TernWidget/HighWater.swift", "Tern/Tides/Store.swift"],
    },
  },
  {
    ...{ issueTitle: "Bearings are shown true, skippers expect magnetic", label: "bug" },
    ...{
      pullTitle: "Show magnetic bearings and keep the true ones",
      files: ["Tern/Model/Bearing.swift", "TernTests/BearingTests.swift"],
    },
  },
  {
    ...{ issueTitle: "VoiceOver reads the compass as 'image'", label: "accessibility" },
    ...{
      pullTitle: "Speak the course in words, every ten degrees",
      files: ["Tern/Views/Compass.swift", "TernUITests/CompassTests.swift"],
    },
  },
  {
    ...{ issueTitle: "Battery: 18 % for a day of track", label: "performance" },
    ...{
      pullTitle: "Take a fix every ten seconds while the course is steady",
      files: ["Tern/Track/Recorder.swift", "Tern/Track/Cadence.swift"],
    },
    requestedChanges:
      "Ten seconds cuts the corners when tacking. Go back to one second as soon as the course turns " +
      "by more than 15 degrees.",
  },
  {
    ...{ issueTitle: "Move the log to the new SwiftData store", label: "chore" },
    ...{
      pullTitle: "Replace SQLite by SwiftData",
      files: ["Tern/Log/Store.swift", "Tern/Log/Migration.swift"],
    },
    rejection: "Opening a log of 4,000 entries takes six seconds with it. We stay with SQLite.",
  },
  {
    ...{ issueTitle: "Crew list asks for the birthday twice", label: "bug" },
    ...{
      pullTitle: "Ask for a birthday once",
      files: ["Tern/Crew/Form.swift", "TernTests/CrewTests.swift"],
      by: "human:ines",
    },
  },
  {
    ...{ issueTitle: "Print the log as the authorities want it", label: "feature" },
    ...{
      pullTitle: "Export a month of the log as a signed PDF",
      files: ["Tern/Export/LogBook.swift", "Tern/Export/Page.swift"],
    },
    runFailure: "two snapshot tests differ by one pixel on the runner, not on a desk",
  },
  {
    ...{ issueTitle: "Anchor alarm is silent in focus mode", label: "bug" },
    ...{
      pullTitle: "Send the anchor alarm as a critical alert",
      files: ["Tern/Anchor/Alarm.swift", "Tern/Anchor/Watch.swift"],
    },
  },
  {
    ...{ issueTitle: "Photos of the log fill the phone", label: "performance" },
    ...{
      pullTitle: "Keep photos at 2,000 px and the original in the harbor",
      files: ["Tern/Log/Photos.swift", "Tern/Sync/Client.swift"],
    },
  },
  {
    ...{ issueTitle: "Book a berth from the log", label: "feature" },
    ...{
      pullTitle: "Open harbor with boat, crew and time of arrival filled in",
      files: ["Tern/Harbor/Handover.swift", "Tern/Model/Boat.swift"],
    },
    requestedChanges: "Ask before the crew's names leave the phone.",
  },
  {
    ...{ issueTitle: "German: 'Knoten' is cut off on small phones", label: "text" },
    ...{
      pullTitle: "Let units wrap below their number",
      files: ["Tern/Views/Readout.swift", "TernUITests/ReadoutTests.swift"],
    },
  },
  {
    ...{ issueTitle: "Tide curve is empty west of Brest", label: "bug" },
    ...{
      pullTitle: "Say which gauge is nearest when none is near",
      files: ["Tern/Tides/Curve.swift", "Tern/Tides/Store.swift"],
    },
  },
  {
    ...{ issueTitle: "Wear a glove: the stop button is too small", label: "design" },
    ...{
      pullTitle: "Stop a track by holding anywhere for a second",
      files: ["Tern/Views/LogBar.swift", "TernUITests/StopTests.swift"],
    },
    checkFailure: "the gesture also stops the track while the map is being moved",
  },
  {
    ...{ issueTitle: "Import logs of other apps", label: "feature" },
    ...{
      pullTitle: "Read GPX tracks into the log",
      files: ["Tern/Import/Gpx.swift", "TernTests/GpxTests.swift"],
    },
    runFailure: "the parser ran out of memory on a track of 310 MB",
  },
  {
    ...{ issueTitle: "Clock of the boat differs from the phone's", label: "bug" },
    ...{
      pullTitle: "Keep times in UTC and show the boat's offset",
      files: ["Tern/Model/Clock.swift", "TernTests/ClockTests.swift"],
    },
  },
  { issueTitle: "Share a voyage with people ashore", label: "feature" },
  {
    ...{ issueTitle: "Crash when the log is opened during a sync", label: "bug" },
    ...{
      pullTitle: "Read the log from a snapshot while a sync writes",
      files: ["Tern/Log/Store.swift", "Tern/Sync/Client.swift"],
    },
  },
  { issueTitle: "Watch app: log a sail change from the wrist", label: "feature" },
];
