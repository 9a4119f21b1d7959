import { approved, type Chain, file, mp4, pdf, pending, png, published, rejected, webp } from "./chain.ts";

/** What was made for the web app. */
export const harborLibrary: readonly Chain[] = [
  {
    ...{ ...png, about: "Berth map cannot be read on a phone", title: "Berth map from the water side", filename: "berth-map-320.png" },
    description: "The map at 320, 768 and 1440 px, with the sample harbour.",
    ...{ by: "agent:claude-code", tags: ["map", "mobile"], pixels: [1600, 1000], kilobytes: 412 },
    versions: [
      rejected("Names of the jetties overlap. Turn them along the jetty, or leave them out below 400 px."),
      { review: "approved", note: "Readable now. One more try with the pan handles closer to the thumb?" },
      published,
    ],
  },
  {
    ...{ ...webp, about: "Show the depth at low tide for each berth", title: "Berth card with depth", filename: "berth-card.webp" },
    ...{ by: "agent:codex", tags: ["berths"], pixels: [720, 480], kilobytes: 58 },
    versions: [{ review: "approved", note: "Depth first, then width: keep this order in every list of berths." }],
  },
  {
    ...{ ...mp4, about: "Nobody leaves the date picker by keyboard", title: "Date picker by keyboard", filename: "date-picker.mp4" },
    ...{ by: "agent:claude-code", tags: ["accessibility"], pixels: [1280, 720], seconds: 41, kilobytes: 5_240 },
    versions: [rejected("It shows the name of a real guest. Record with the sample harbour only."), approved],
  },
  {
    ...{ ...pdf, about: "Harbour masters want today's arrivals on one page", title: "Arrivals, printed", filename: "arrivals.pdf" },
    ...{
      by: "agent:codex",
      tags: ["desk", "print"],
      kilobytes: 96,
      versions: [rejected("The last boat falls off the page at 42 arrivals."), published],
    },
  },
  {
    ...{ ...png, about: "Waiting list for weekends that are full", title: "Mail: a berth is free", filename: "offer-mail.png" },
    ...{ by: "agent:claude-code", tags: ["mail"], pixels: [640, 1180], kilobytes: 133 },
    versions: [rejected("No countdown in mails, people open them hours later. Name the time instead.")],
  },
  {
    ...{ ...file, mime: "text/csv", about: "Let a club book ten berths at once", title: "Sample booking of a club", filename: "club.csv" },
    ...{ by: "human:jonas", tags: ["sample"], kilobytes: 3, versions: [approved] },
  },
  {
    ...{ ...png, about: "Desk is too bright at night", title: "Night palette of the desk", filename: "desk-night.png" },
    ...{ by: "agent:claude-code", tags: ["desk", "palette"], pixels: [1920, 1080], kilobytes: 288 },
    versions: [rejected("Free berths have a contrast of 2.9. Nothing on the desk goes below 4.5."), pending],
  },
  {
    kind: "html",
    ...{
      mime: "application/zip",
      about: "Tell guests when the harbour's line is down",
      title: "Offline plan, to click through",
      filename: "offline-plan.zip",
    },
    ...{ by: "token:design-laptop", tags: ["offline", "prototype"], kilobytes: 740, versions: [pending] },
  },
];
