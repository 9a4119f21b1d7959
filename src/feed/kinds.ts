/**
 * The kinds of events. A kind is one row here, and one in `integrations/webhooks/formats/notices/kinds.ts`,
 * which says whether chats tell of it; the types ask for both.
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
  /** What people read for it. */
  title: string;
  /** On pages. The icon matters: color alone must not carry meaning (WCAG 1.4.1). */
  icon: string;
  tone: "good" | "bad" | "info" | "warn" | "quiet";
  effects: readonly Effect[];
  /** The kind of its failure: a wait for one must also end at the other. */
  failsAs?: string;
}

export const kindRows = {
  "issue.opened": { title: "Issue opened", icon: "issue", tone: "info", effects: ["recall"] },
  "issue.labeled": { title: "Issue labeled", icon: "label", tone: "quiet", effects: [] },
  "issue.closed": {
    title: "Issue closed",
    icon: "closed",
    tone: "good",
    effects: ["inbox", "top", "recall"],
  },
  "run.started": { title: "Run started", icon: "run", tone: "info", effects: ["inbox", "top"] },
  "run.finished": {
    title: "Run finished",
    icon: "check",
    tone: "good",
    effects: ["inbox", "top", "recall"],
    failsAs: "run.failed",
  },
  "run.failed": { title: "Run failed", icon: "cross", tone: "bad", effects: ["inbox", "top", "recall"] },
  "step.usage": { title: "Step of a run", icon: "step", tone: "quiet", effects: [] },
  "pr.opened": { title: "Pull request opened", icon: "pull", tone: "info", effects: ["recall"] },
  "pr.review": { title: "Pull request reviewed", icon: "eye", tone: "quiet", effects: ["recall"] },
  "pr.merged": {
    title: "Pull request merged",
    icon: "merge",
    tone: "good",
    effects: ["inbox", "top", "recall"],
  },
  "pr.closed": {
    title: "Pull request closed",
    icon: "pull",
    tone: "quiet",
    effects: ["inbox", "top", "recall"],
  },
  "workflow.run": { title: "CI run", icon: "gear", tone: "quiet", effects: [] },
  "preview.ready": {
    title: "Preview ready",
    icon: "eye",
    tone: "good",
    effects: ["inbox", "top"],
    failsAs: "preview.failed",
  },
  "preview.failed": {
    title: "Preview failed",
    icon: "eye",
    tone: "bad",
    effects: ["inbox", "top", "recall"],
  },
  "decision.captured": {
    title: "Decision recorded",
    by: "svc",
    icon: "flag",
    tone: "warn",
    effects: ["inbox"],
  },
  "decision.confirmed": {
    title: "Decision confirmed",
    by: "svc",
    icon: "flag",
    tone: "good",
    effects: ["inbox"],
  },
  "decision.retired": {
    title: "Decision retired",
    by: "svc",
    icon: "flag",
    tone: "quiet",
    effects: ["inbox"],
  },
  "check.stopped": {
    title: "Stopped by a decision",
    by: "svc",
    icon: "flag",
    tone: "warn",
    effects: [],
  },
  "preference.set": { title: "Preference set", by: "svc", icon: "sliders", tone: "warn", effects: [] },
  "project.linked": { title: "Project linked", by: "svc", icon: "link", tone: "info", effects: [] },
  "memory.consolidated": {
    title: "Memory summarized",
    by: "svc",
    icon: "layers",
    tone: "quiet",
    effects: [],
  },
  "onboard.refreshed": { title: "Onboarding refreshed", by: "svc", icon: "book", tone: "quiet", effects: [] },
  "asset.uploaded": {
    title: "Asset uploaded",
    by: "svc",
    icon: "upload",
    tone: "info",
    effects: ["inbox", "review", "top", "recall"],
  },
  "asset.reviewed": {
    title: "Asset reviewed",
    by: "svc",
    icon: "person",
    tone: "warn",
    effects: ["inbox", "review", "top"],
  },
  "asset.published": {
    title: "Asset published",
    by: "svc",
    icon: "globe",
    tone: "good",
    effects: ["review", "top"],
  },
  "asset.unpublished": {
    title: "Asset unpublished",
    by: "svc",
    icon: "globe",
    tone: "warn",
    effects: ["review", "top"],
  },
  "asset.deleted": {
    title: "Files of an asset deleted",
    by: "svc",
    icon: "cross",
    tone: "warn",
    effects: ["inbox", "review", "top"],
  },
  "data.removed": {
    title: "Data removed",
    by: "svc",
    icon: "cross",
    tone: "warn",
    effects: ["inbox", "review", "top"],
  },
  "run.waiting": { title: "Run waiting", by: "svc", icon: "person", tone: "warn", effects: ["inbox", "top"] },
  "run.lost": { title: "Run lost", by: "svc", icon: "clock", tone: "bad", effects: ["inbox", "top"] },
  "asset.commented": {
    title: "Asset annotated",
    by: "svc",
    icon: "label",
    tone: "warn",
    effects: ["review", "top"],
  },
  "asset.addressed": {
    title: "Annotation addressed",
    by: "svc",
    icon: "check",
    tone: "info",
    effects: ["review", "top"],
  },
  "webhook.paused": { title: "Webhook paused", by: "svc", icon: "cross", tone: "bad", effects: ["inbox"] },
  "review.requested": {
    title: "Review requested",
    by: "svc",
    icon: "eye",
    tone: "warn",
    effects: ["inbox", "review", "top"],
  },
  "review.overdue": {
    title: "Review overdue",
    by: "svc",
    icon: "clock",
    tone: "bad",
    effects: ["inbox", "review", "top"],
  },
  "review.given": {
    title: "Review given",
    by: "svc",
    icon: "person",
    tone: "info",
    effects: ["inbox", "review", "top"],
  },
  "budget.reached": { title: "Budget reached", by: "svc", icon: "coins", tone: "warn", effects: ["inbox"] },
  "share.created": { title: "Share created", by: "svc", icon: "outside", tone: "info", effects: [] },
  "share.renewed": { title: "Share renewed", by: "svc", icon: "outside", tone: "info", effects: [] },
  "share.revoked": { title: "Share revoked", by: "svc", icon: "outside", tone: "quiet", effects: [] },
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

/** Kinds that runs of agents report. */
export const kindsOfRuns = [
  "run.started",
  "run.finished",
  "run.failed",
  "step.usage",
] as const satisfies Kind[];

/** A newer version of svc may have written events of kinds that this one does not know. */
export const isKind = (kind: string): kind is Kind => Object.hasOwn(kindRows, kind);

export const kindTitle = (kind: string): string => (isKind(kind) ? rowOf[kind].title : kind);

/** The failure of a kind, for those that have one. */
export const failureOf = (kind: Kind): Kind | undefined => rowOf[kind].failsAs;

export const kindsWith = (effect: Effect): Kind[] =>
  kinds.filter((kind) => rowOf[kind].effects.includes(effect));
