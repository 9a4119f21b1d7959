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

/** A kind that requests can append. */
const reported = <Icon extends string>(
  title: string,
  icon: Icon,
  tone: KindRow["tone"],
  ...effects: readonly Effect[]
) => ({ title, icon, tone, effects });

/** A kind that only the service writes, when it performs the action. */
const own = <Icon extends string>(...row: Parameters<typeof reported<Icon>>) => ({
  ...reported(...row),
  by: "svc" as const,
});

export const kindRows = {
  "issue.opened": reported("Issue opened", "issue", "info", "recall"),
  "issue.labeled": reported("Issue labeled", "label", "quiet"),
  "issue.closed": reported("Issue closed", "closed", "good", "inbox", "top", "recall"),
  "run.started": reported("Run started", "run", "info", "inbox", "top"),
  "run.finished": {
    ...reported("Run finished", "check", "good", "inbox", "top", "recall"),
    failsAs: "run.failed",
  },
  "run.failed": reported("Run failed", "cross", "bad", "inbox", "top", "recall"),
  "step.usage": reported("Step of a run", "step", "quiet"),
  "pr.opened": reported("Pull request opened", "pull", "info", "recall"),
  "pr.review": reported("Pull request reviewed", "eye", "quiet", "recall"),
  "pr.merged": reported("Pull request merged", "merge", "good", "inbox", "top", "recall"),
  "pr.closed": reported("Pull request closed", "pull", "quiet", "inbox", "top", "recall"),
  "workflow.run": reported("CI run", "gear", "quiet"),
  "preview.ready": { ...reported("Preview ready", "eye", "good", "inbox", "top"), failsAs: "preview.failed" },
  "preview.failed": reported("Preview failed", "eye", "bad", "inbox", "top", "recall"),
  "decision.captured": own("Decision recorded", "flag", "warn", "inbox"),
  "decision.confirmed": own("Decision confirmed", "flag", "good", "inbox"),
  "decision.retired": own("Decision retired", "flag", "quiet", "inbox"),
  "check.stopped": own("Stopped by a decision", "flag", "warn"),
  "preference.set": own("Preference set", "sliders", "warn"),
  "project.linked": own("Project linked", "link", "info"),
  "memory.consolidated": own("Memory summarized", "layers", "quiet"),
  "onboard.refreshed": own("Onboarding refreshed", "book", "quiet"),
  "asset.uploaded": own("Asset uploaded", "upload", "info", "inbox", "review", "top", "recall"),
  "asset.reviewed": own("Asset reviewed", "person", "warn", "inbox", "review", "top"),
  "asset.published": own("Asset published", "globe", "good", "review", "top"),
  "asset.unpublished": own("Asset unpublished", "globe", "warn", "review", "top"),
  "asset.deleted": own("Files of an asset deleted", "cross", "warn", "inbox", "review", "top"),
  "data.removed": own("Data removed", "cross", "warn", "inbox", "review", "top"),
  "run.waiting": own("Run waiting", "person", "warn", "inbox", "top"),
  "run.lost": own("Run lost", "clock", "bad", "inbox", "top"),
  "asset.commented": own("Asset annotated", "label", "warn", "review", "top"),
  "asset.addressed": own("Annotation addressed", "check", "info", "review", "top"),
  "webhook.paused": own("Webhook paused", "cross", "bad", "inbox"),
  "review.requested": own("Review requested", "eye", "warn", "inbox", "review", "top"),
  "review.overdue": own("Review overdue", "clock", "bad", "inbox", "review", "top"),
  "review.given": own("Review given", "person", "info", "inbox", "review", "top"),
  "budget.reached": own("Budget reached", "coins", "warn", "inbox"),
  "share.created": own("Share created", "outside", "info"),
  "share.renewed": own("Share renewed", "outside", "info"),
  "share.revoked": own("Share revoked", "outside", "quiet"),
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
