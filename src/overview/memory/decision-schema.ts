/** The schema of a decision with what came before and after it. */

import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { DateTime, Nullable } from "../../core/wire.ts";
import { Asset } from "../../library/assets/schema.ts";
import { Anchor } from "../../memory/anchor-schema.ts";
import { CheckRule } from "../../memory/checks/schema.ts";
import { DecisionRecord } from "../../memory/list-schemas.ts";
import { Contradiction } from "../../memory/schema.ts";

export const DecisionDetail = Type.Object(
  {
    ...DecisionRecord.properties,
    proposed_checks: Type.Array(CheckRule, { description: "Checks that its words state, to save." }),
    are_checks_held: Type.Boolean({
      description: "Whether an agent alone ended it: its checks apply until a person confirms or drops that.",
    }),
    superseded: Nullable(DecisionRecord),
    superseded_by: Nullable(DecisionRecord),
    contradicts: Type.Array(Contradiction, { description: "Older decisions that say the opposite." }),
    contradicted_by: Type.Array(Contradiction, { description: "Newer decisions that say the opposite." }),
    anchors: Type.Array(Anchor),
    gone_at: Nullable(
      DateTime({ description: "Since when all files that it speaks of are gone from the default branch." }),
    ),
    asset: Nullable(Type.Pick(Asset, ["id", "title", "version", "issue", "task", "pr"])),
  },
  {
    $id: "DecisionDetail",
    description:
      "A decision, the one it replaced, the one that replaced it, those that say the opposite, and, for a " +
      "review note, the rejected version.",
  },
);

export type DecisionDetail = Static<typeof DecisionDetail>;
