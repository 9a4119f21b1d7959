/** Who claims a task. */
import type { Claim } from "../../feed/claims/schema.ts";
import { Actor } from "../actor.tsx";
import { runUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";

export const TaskClaim = ({ claim }: { claim: Claim | null }) => (
  <p class="soft" id="task-claim" data-live>
    {claim && (
      <>
        Claimed by <Actor of={claim.holder} /> since <Time ts={claim.since} />, until{" "}
        <Time ts={claim.until} />
        {claim.run_id !== null && (
          <>
            {" "}
            (<a href={runUrl({ id: claim.run_id, project: claim.project })}>run</a>)
          </>
        )}
        {claim.note !== null && (
          <>
            : <bdi>{claim.note}</bdi>
          </>
        )}
      </>
    )}
  </p>
);
