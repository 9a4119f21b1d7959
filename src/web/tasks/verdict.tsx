/** What a review said of a version. */
import type { Verdict } from "../../overview/tasks/attempts.ts";
import { type IconName, StatusLabel, type Tone } from "../icons/icons.tsx";

const styles: Record<Verdict, [IconName, Tone, label: string]> = {
  pending: ["clock", "warn", "waiting for review"],
  rejected: ["cross", "bad", "rejected"],
  approved: ["check", "good", "approved"],
  published: ["globe", "good", "approved and published"],
  "not reviewed": ["layers", "quiet", "replaced before a review"],
};

export const verdictTone = (verdict: Verdict): Tone => styles[verdict][1];

export function VerdictLabel({ verdict }: { verdict: Verdict }) {
  const [icon, tone, label] = styles[verdict];
  return <StatusLabel icon={icon} tone={tone} text={label} />;
}
