/** How current the guidance of a model is, on the page of a project and on the memory page. */
import type { Model } from "../../memory/schema.ts";
import { pluralize } from "../format.ts";

const tones = { ready: "good", stale: "warn", pending: "quiet" } as const;

export const ModelStatus = ({ model }: { model: Model }) => (
  <>
    <span class={`status ${tones[model.status]}`}>{model.status}</span>{" "}
    <span class="soft model-facts">
      {model.provider} · {pluralize(model.guidance_count, "section")}, {pluralize(model.skill_count, "skill")}
      {model.status === "pending" ? "" : ` · refreshed ${pluralize(model.stale_days, "day")} ago`}
    </span>
  </>
);
