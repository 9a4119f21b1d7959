/**
 * The kinds of events. A kind is one row here, and one in `webhooks/formats/notices/kinds.ts`, which says
 * whether chats tell of it; the types ask for both.
 */

/** What an event of a kind changes, beside the feed. */
type Effect =
  /** It adds items to an inbox, or takes some away. */
  | "inbox"
  /** It changes what an asset shows, so those who wait for reviews look again. */
  | "review"
  /** `svc top` loads its lists again. */
  | "top"
  /** Recall finds it: how a task began or ended. Steps and starts add nothing to what the end says. */
  | "recall";

interface KindRow {
  /** Only the service writes it, when it performs the action; requests cannot append it. */
  by?: "svc";
  /** On pages. The icon matters: color alone must not carry meaning (WCAG 1.4.1). */
  icon: string;
  tone: "good" | "bad" | "info" | "warn" | "quiet";
  effects: readonly Effect[];
  /** The kind of its failure: a wait for one must also end at the other. */
  failsAs?: string;
}

export const kindRows = {
  "issue.opened": { icon: "issue", tone: "info", effects: ["recall"] },
  "issue.labeled": { icon: "label", tone: "quiet", effects: [] },
  "issue.closed": { icon: "closed", tone: "good", effects: ["inbox", "top", "recall"] },
  "run.started": { icon: "run", tone: "info", effects: ["inbox", "top"] },
  "run.finished": {
    icon: "check",
    tone: "good",
    effects: ["inbox", "top", "recall"],
    failsAs: "run.failed",
  },
  "run.failed": { icon: "cross", tone: "bad", effects: ["inbox", "top", "recall"] },
  "step.usage": { icon: "step", tone: "quiet", effects: [] },
  "pr.opened": { icon: "pull", tone: "info", effects: ["recall"] },
  "pr.review": { icon: "eye", tone: "quiet", effects: ["recall"] },
  "pr.merged": { icon: "merge", tone: "good", effects: ["inbox", "top", "recall"] },
  "pr.closed": { icon: "pull", tone: "quiet", effects: ["inbox", "top", "recall"] },
  "workflow.run": { icon: "gear", tone: "quiet", effects: [] },
  "preview.ready": { icon: "eye", tone: "good", effects: ["inbox", "top"], failsAs: "preview.failed" },
  "preview.failed": { icon: "eye", tone: "bad", effects: ["inbox", "top", "recall"] },
  "decision.captured": { by: "svc", icon: "flag", tone: "warn", effects: [] },
  "decision.retired": { by: "svc", icon: "flag", tone: "quiet", effects: [] },
  "preference.set": { by: "svc", icon: "sliders", tone: "warn", effects: [] },
  "project.linked": { by: "svc", icon: "link", tone: "info", effects: [] },
  "memory.consolidated": { by: "svc", icon: "layers", tone: "quiet", effects: [] },
  "onboard.refreshed": { by: "svc", icon: "book", tone: "quiet", effects: [] },
  "asset.uploaded": {
    by: "svc",
    icon: "upload",
    tone: "info",
    effects: ["inbox", "review", "top", "recall"],
  },
  "asset.reviewed": { by: "svc", icon: "person", tone: "warn", effects: ["inbox", "review", "top"] },
  "asset.published": { by: "svc", icon: "globe", tone: "good", effects: ["review", "top"] },
  "run.lost": { by: "svc", icon: "clock", tone: "bad", effects: ["inbox", "top"] },
  "asset.commented": { by: "svc", icon: "label", tone: "warn", effects: ["review", "top"] },
  "asset.addressed": { by: "svc", icon: "check", tone: "info", effects: ["review", "top"] },
  "webhook.paused": { by: "svc", icon: "cross", tone: "bad", effects: ["inbox"] },
  "review.requested": { by: "svc", icon: "eye", tone: "warn", effects: ["inbox", "review", "top"] },
  "review.overdue": { by: "svc", icon: "clock", tone: "bad", effects: ["inbox", "review", "top"] },
  "review.given": { by: "svc", icon: "person", tone: "info", effects: ["inbox", "review", "top"] },
  "budget.reached": { by: "svc", icon: "coins", tone: "warn", effects: ["inbox"] },
  "share.created": { by: "svc", icon: "outside", tone: "info", effects: [] },
  "share.revoked": { by: "svc", icon: "outside", tone: "quiet", effects: [] },
} as const satisfies Record<string, KindRow>;

type Kind = keyof typeof kindRows;
type ServiceKind = { [K in Kind]: (typeof kindRows)[K] extends { by: "svc" } ? K : never }[Kind];

const rowOf: Record<Kind, KindRow & { failsAs?: Kind }> = kindRows;

export const kinds = Object.keys(kindRows) as [Kind, ...Kind[]];
const isOfService = (kind: Kind): kind is ServiceKind => rowOf[kind].by === "svc";
export const serviceKinds = kinds.filter(isOfService);
/** Kinds that requests can append. */
export const reportableKinds = kinds.filter((kind) => !isOfService(kind)) as [
  Exclude<Kind, ServiceKind>,
  ...Exclude<Kind, ServiceKind>[],
];

/** The failure of a kind, for those that have one. */
export const failureOf = (kind: Kind): Kind | undefined => rowOf[kind].failsAs;

export const kindsWith = (effect: Effect): Kind[] =>
  kinds.filter((kind) => rowOf[kind].effects.includes(effect));
