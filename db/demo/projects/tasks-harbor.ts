import type { Task } from "../tasks/tasks.ts";

/** A month of work on the web app, sorted by the date of its issue. */
export const harborTasks: readonly Task[] = [
  {
    issueTitle: "Calendar shows yesterday's berths after midnight",
    label: "bug",
    pullTitle: "Read the calendar in the harbor's own time zone",
    files: ["src/calendar/month.ts", "test/calendar.test.ts"],
  },
  {
    issueTitle: "Guests cannot correct their boat's length after booking",
    label: "feature",
    pullTitle: "Let a guest correct the boat's measures until arrival",
    files: ["src/booking/boat-form.tsx", "src/booking/rules.ts"],
    requestedChanges:
      "A longer boat may not fit its berth. Check it again before saving, and say so in the form.",
  },
  {
    issueTitle: "Price list ignores the shoulder season",
    label: "bug",
    pullTitle: "Pick the season by the night, not by the day of arrival",
    files: ["src/prices/season.ts", "test/prices.test.ts"],
  },
  {
    issueTitle: "Confirmation mail arrives twice",
    label: "bug",
    pullTitle: "Send a confirmation once for each booking",
    files: ["src/mail/outbox.ts", "test/outbox.test.ts"],
    runFailure: "gave up on the mail sandbox, it never answered on port 1025",
  },
  {
    issueTitle: "Berth map cannot be read on a phone",
    label: "design",
    pullTitle: "Draw the berth map from the water side and let it pan",
    files: ["src/map/berth-map.tsx", "src/map/berth-map.css"],
    requestedChanges:
      "The names of the jetties overlap at 320 px. Turn them, or leave them out below 400 px.",
  },
  {
    issueTitle: "Show the depth at low tide for each berth",
    label: "feature",
    pullTitle: "Show the depth at low tide beside a berth's width",
    files: ["src/berths/depth.ts", "src/berths/card.tsx"],
  },
  {
    issueTitle: "Old card index loses its umlauts on import",
    label: "bug",
    pullTitle: "Read the card index as Windows-1252",
    files: ["src/import/cards.ts", "test/cards.test.ts"],
    by: "human:jonas",
  },
  {
    issueTitle: "Harbor masters want today's arrivals on one page",
    label: "feature",
    pullTitle: "Add the list of arrivals, printable on one page",
    files: ["src/desk/arrivals.tsx", "src/desk/print.css"],
  },
  {
    issueTitle: "Search is slow with more than 400 berths",
    label: "performance",
    pullTitle: "Find free berths with one query instead of one for each",
    files: ["src/search/free-berths.ts", "db/free-berths.sql"],
    checkFailure: "two overlapping bookings are both found free",
  },
  {
    issueTitle: "Deposit was refunded twice when two of us clicked",
    label: "bug",
    pullTitle: "Take the lock of a refund before asking the bank",
    files: ["src/payments/refund.ts", "test/refund.test.ts"],
    runFailure: "the check is still red after four attempts, the bank's sandbox now refuses amounts in cents",
  },
  {
    issueTitle: "Nobody leaves the date picker by keyboard",
    label: "accessibility",
    pullTitle: "Close the date picker with Escape and give the focus back",
    files: ["src/ui/date-picker.tsx", "test/date-picker.test.tsx"],
  },
  {
    issueTitle: "Put all booking steps on one page",
    label: "feature",
    pullTitle: "Join the four booking steps into one page",
    files: ["src/booking/steps.tsx", "src/booking/page.tsx"],
    rejection: "Three guests of the trial got lost in it. We keep the steps and shorten them instead.",
  },
  {
    issueTitle: "Dutch mails are half English",
    label: "text",
    pullTitle: "Take every line of a mail from the same catalogue",
    files: ["src/mail/catalogue.ts", "src/mail/nl.json"],
  },
  {
    issueTitle: "Cancelled bookings block their berth for another hour",
    label: "bug",
    pullTitle: "Free a berth in the transaction that cancels",
    files: ["src/booking/cancel.ts", "test/cancel.test.ts"],
  },
  {
    issueTitle: "Waiting list for weekends that are full",
    label: "feature",
    pullTitle: "Keep a waiting list and offer a freed berth for two hours",
    files: ["src/booking/waiting-list.ts", "src/mail/offer.tsx"],
    requestedChanges: "Two hours is too short at night. Start the clock at eight in the morning.",
  },
  {
    issueTitle: "Session ends while a guest is paying",
    label: "bug",
    pullTitle: "Carry the booking through the bank's page in a signed field",
    files: ["src/payments/return.ts", "src/session.ts"],
  },
  {
    issueTitle: "Photos of berths load at full size",
    label: "performance",
    pullTitle: "Serve photos in three widths",
    files: ["src/berths/photos.ts", "src/berths/card.tsx"],
    runFailure: "context limit reached while reading the generated bank client (2.1 MB)",
  },
  {
    issueTitle: "Harbor dues: round the way the town does",
    label: "bug",
    pullTitle: "Round dues down to ten cents, once, at the end",
    files: ["src/prices/dues.ts", "test/dues.test.ts"],
  },
  {
    issueTitle: "Somebody scrapes the public search",
    label: "operations",
    pullTitle: "Limit the public search to 30 requests a minute",
    files: ["src/http/limit.ts", "test/limit.test.ts"],
  },
  {
    issueTitle: "Let a club book ten berths at once",
    label: "feature",
    pullTitle: "Book several berths in one go, all or none",
    files: ["src/booking/group.ts", "src/booking/group-form.tsx"],
    checkFailure: "the eleventh berth is charged but not booked",
  },
  {
    issueTitle: "Take the old booking widget out",
    label: "chore",
    pullTitle: "Remove the widget and its build",
    files: ["src/widget/index.ts", "package.json"],
  },
  {
    issueTitle: "Receipt lacks the harbor's tax number",
    label: "bug",
    pullTitle: "Print the tax number on every receipt",
    files: ["src/payments/receipt.tsx", "test/receipt.test.tsx"],
  },
  {
    issueTitle: "Desk is too bright at night",
    label: "design",
    pullTitle: "Give the desk a night palette that keeps its contrast",
    files: ["src/desk/desk.css", "src/ui/palette.ts"],
  },
  {
    issueTitle: "Tell guests when the harbor's line is down",
    label: "feature",
    pullTitle: "Serve the last known plan while the harbor is offline",
    files: ["src/offline/worker.ts", "src/offline/plan.tsx"],
    runFailure: "the runner lost its network and the install never finished",
  },
  { issueTitle: "Guests ask at the desk where to plug in", label: "feature" },
  {
    issueTitle: "Warn of arrivals when more than 6 Bft are forecast",
    label: "feature",
    pullTitle: "Show a wind warning on the day of arrival",
    files: ["src/desk/wind.tsx", "src/desk/arrivals.tsx"],
  },
];

/** What is being worked on at this moment. */
export const runningTask: Task = {
  issueTitle: "Search forgets the boat's draught on the way back",
  label: "bug",
  pullTitle: "Keep the measures of a search in its address",
  files: ["src/search/form.tsx", "test/search-form.test.tsx"],
};
