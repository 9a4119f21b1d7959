import type { Task } from "./tasks.ts";

/** A month of work on the web app, in the order in which it was asked for. */
export const harborTasks: readonly Task[] = [
  {
    ...{ asks: "Calendar shows yesterday's berths after midnight", label: "bug" },
    ...{
      does: "Read the calendar in the harbour's own time zone",
      files: ["src/calendar/month.ts", "test/calendar.test.ts"],
    },
  },
  {
    ...{ asks: "Guests cannot correct their boat's length after booking", label: "feature" },
    ...{
      does: "Let a guest correct the boat's measures until arrival",
      files: ["src/booking/boat-form.tsx", "src/booking/rules.ts"],
    },
    changes: "A longer boat may not fit its berth. Check it again before saving, and say so in the form.",
  },
  {
    ...{ asks: "Price list ignores the shoulder season", label: "bug" },
    ...{
      does: "Pick the season by the night, not by the day of arrival",
      files: ["src/prices/season.ts", "test/prices.test.ts"],
    },
  },
  {
    ...{ asks: "Confirmation mail arrives twice", label: "bug" },
    ...{
      does: "Send a confirmation once for each booking",
      files: ["src/mail/outbox.ts", "test/outbox.test.ts"],
    },
    failed: "gave up on the mail sandbox, it never answered on port 1025",
  },
  {
    ...{ asks: "Berth map cannot be read on a phone", label: "design" },
    ...{
      does: "Draw the berth map from the water side and let it pan",
      files: ["src/map/berth-map.tsx", "src/map/berth-map.css"],
    },
    changes: "The names of the jetties overlap at 320 px. Turn them, or leave them out below 400 px.",
  },
  {
    ...{ asks: "Show the depth at low tide for each berth", label: "feature" },
    ...{
      does: "Show the depth at low tide beside a berth's width",
      files: ["src/berths/depth.ts", "src/berths/card.tsx"],
    },
  },
  {
    ...{ asks: "Old card index loses its umlauts on import", label: "bug" },
    ...{
      does: "Read the card index as Windows-1252",
      files: ["src/import/cards.ts", "test/cards.test.ts"],
      by: "human:jonas",
    },
  },
  {
    ...{ asks: "Harbour masters want today's arrivals on one page", label: "feature" },
    ...{
      does: "Add the list of arrivals, printable on one page",
      files: ["src/desk/arrivals.tsx", "src/desk/print.css"],
    },
  },
  {
    ...{ asks: "Search is slow with more than 400 berths", label: "performance" },
    ...{
      does: "Find free berths with one query instead of one for each",
      files: ["src/search/free-berths.ts", "db/free-berths.sql"],
    },
    red: "two overlapping bookings are both found free",
  },
  {
    ...{ asks: "Deposit was refunded twice when two of us clicked", label: "bug" },
    ...{
      does: "Take the lock of a refund before asking the bank",
      files: ["src/payments/refund.ts", "test/refund.test.ts"],
    },
    failed: "the check is still red after four attempts, the bank's sandbox now refuses amounts in cents",
  },
  {
    ...{ asks: "Nobody leaves the date picker by keyboard", label: "accessibility" },
    ...{
      does: "Close the date picker with Escape and give the focus back",
      files: ["src/ui/date-picker.tsx", "test/date-picker.test.tsx"],
    },
  },
  {
    ...{ asks: "Put all booking steps on one page", label: "feature" },
    ...{
      does: "Join the four booking steps into one page",
      files: ["src/booking/steps.tsx", "src/booking/page.tsx"],
    },
    dropped: "Three guests of the trial got lost in it. We keep the steps and shorten them instead.",
  },
  {
    ...{ asks: "Dutch mails are half English", label: "text" },
    ...{
      does: "Take every line of a mail from the same catalogue",
      files: ["src/mail/catalogue.ts", "src/mail/nl.json"],
    },
  },
  {
    ...{ asks: "Cancelled bookings block their berth for another hour", label: "bug" },
    ...{
      does: "Free a berth in the transaction that cancels",
      files: ["src/booking/cancel.ts", "test/cancel.test.ts"],
    },
  },
  {
    ...{ asks: "Waiting list for weekends that are full", label: "feature" },
    ...{
      does: "Keep a waiting list and offer a freed berth for two hours",
      files: ["src/booking/waiting-list.ts", "src/mail/offer.tsx"],
    },
    changes: "Two hours is too short at night. Start the clock at eight in the morning.",
  },
  {
    ...{ asks: "Session ends while a guest is paying", label: "bug" },
    ...{
      does: "Carry the booking through the bank's page in a signed field",
      files: ["src/payments/return.ts", "src/session.ts"],
    },
  },
  {
    ...{ asks: "Photos of berths load at full size", label: "performance" },
    ...{ does: "Serve photos in three widths", files: ["src/berths/photos.ts", "src/berths/card.tsx"] },
    failed: "context limit reached while reading the generated bank client (2.1 MB)",
  },
  {
    ...{ asks: "Harbour dues: round the way the town does", label: "bug" },
    ...{
      does: "Round dues down to ten cents, once, at the end",
      files: ["src/prices/dues.ts", "test/dues.test.ts"],
    },
  },
  {
    ...{ asks: "Somebody scrapes the public search", label: "operations" },
    ...{
      does: "Limit the public search to 30 requests a minute",
      files: ["src/http/limit.ts", "test/limit.test.ts"],
    },
  },
  {
    ...{ asks: "Let a club book ten berths at once", label: "feature" },
    ...{
      does: "Book several berths in one go, all or none",
      files: ["src/booking/group.ts", "src/booking/group-form.tsx"],
    },
    red: "the eleventh berth is charged but not booked",
  },
  {
    ...{ asks: "Take the old booking widget out", label: "chore" },
    ...{ does: "Remove the widget and its build", files: ["src/widget/index.ts", "package.json"] },
  },
  {
    ...{ asks: "Receipt lacks the harbour's tax number", label: "bug" },
    ...{
      does: "Print the tax number on every receipt",
      files: ["src/payments/receipt.tsx", "test/receipt.test.tsx"],
    },
  },
  {
    ...{ asks: "Desk is too bright at night", label: "design" },
    ...{
      does: "Give the desk a night palette that keeps its contrast",
      files: ["src/desk/desk.css", "src/ui/palette.ts"],
    },
  },
  {
    ...{ asks: "Tell guests when the harbour's line is down", label: "feature" },
    ...{
      does: "Serve the last known plan while the harbour is offline",
      files: ["src/offline/worker.ts", "src/offline/plan.tsx"],
    },
    failed: "the runner lost its network and the install never finished",
  },
  { asks: "Guests ask at the desk where to plug in", label: "feature" },
  {
    ...{ asks: "Warn of arrivals when more than 6 Bft are forecast", label: "feature" },
    ...{
      does: "Show a wind warning on the day of arrival",
      files: ["src/desk/wind.tsx", "src/desk/arrivals.tsx"],
    },
  },
];

/** What is being worked on at this moment. */
export const inHand: Task = {
  ...{ asks: "Search forgets the boat's draught on the way back", label: "bug" },
  ...{
    does: "Keep the measures of a search in its address",
    files: ["src/search/form.tsx", "test/search-form.test.tsx"],
  },
};
