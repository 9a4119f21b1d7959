import { type AssetChain, approved, pending, published, rejected } from "../assets/asset-versions.ts";

/** What was made for the web app. */
export const harborLibrary: readonly AssetChain[] = [
  {
    task: "Berth map cannot be read on a phone",
    title: "Berth map from the water side",
    filename: "berth-map-320.png",
    description: "The map at 320, 768 and 1440 px, with the sample harbor.",
    by: "agent:claude-code",
    tags: ["map", "mobile"],
    versions: [
      rejected("Names of the jetties overlap. Turn them along the jetty, or leave them out below 400 px."),
      { review: "approved", note: "Readable now. One more try with the pan handles closer to the thumb?" },
      published,
    ],
  },
  {
    task: "Show the depth at low tide for each berth",
    title: "Berth card with depth",
    filename: "berth-card.webp",
    by: "agent:codex",
    tags: ["berths"],
    versions: [
      { review: "approved", note: "Depth first, then width: keep this order in every list of berths." },
    ],
  },
  {
    task: "Nobody leaves the date picker by keyboard",
    title: "Date picker by keyboard",
    filename: "date-picker.mp4",
    by: "agent:claude-code",
    tags: ["accessibility"],
    versions: [rejected("It shows the name of a real guest. Record with the sample harbor only."), approved],
  },
  {
    task: "Harbor masters want today's arrivals on one page",
    title: "Arrivals, printed",
    filename: "arrivals.pdf",
    by: "agent:codex",
    tags: ["desk", "print"],
    versions: [rejected("The last boat falls off the page at 42 arrivals."), published],
  },
  {
    task: "Waiting list for weekends that are full",
    title: "Mail: a berth is free",
    filename: "offer-mail.png",
    by: "agent:claude-code",
    tags: ["mail"],
    versions: [rejected("No countdown in mails, people open them hours later. Name the time instead.")],
  },
  {
    task: "Let a club book ten berths at once",
    title: "Sample booking of a club",
    filename: "club.csv",
    by: "human:jonas",
    tags: ["sample"],
    versions: [approved],
  },
  {
    task: "Desk is too bright at night",
    title: "Night palette of the desk",
    filename: "desk-night.png",
    by: "agent:claude-code",
    tags: ["desk", "palette"],
    versions: [rejected("Free berths have a contrast of 2.9. Nothing on the desk goes below 4.5."), pending],
  },
  {
    task: "Tell guests when the harbor's line is down",
    title: "Offline plan, to click through",
    filename: "offline-plan.zip",
    by: "token:design-laptop",
    tags: ["offline", "prototype"],
    versions: [pending],
  },
];
