/** @jsxImportSource preact */
/** New decisions on Today. */
import type { Today } from "../../overview/today/schema.ts";
import { Actor } from "../actor.tsx";
import { Icon } from "../icons/icons.tsx";
import { decisionUrl } from "../memory/decision-list.tsx";
import { Time } from "../time.tsx";
import { Section } from "./section.tsx";

export const Decisions = ({ found }: { found: NonNullable<Today["decisions"]> }) => (
  <Section
    id="decisions"
    title="New decisions"
    count={found.count}
    none="No new decisions."
    aside={found.count > found.decisions.length && <a href="/memory">All in memory</a>}
  >
    <ol class="items panel">
      {found.decisions.map((decision) => (
        <li key={decision.id}>
          <span class="item-icon warn">
            <Icon name={decision.source === "review" ? "person" : "flag"} />
          </span>
          <div>
            <a href={decisionUrl(decision)} data-item>
              {decision.text}
            </a>
            <p class="soft">
              <Time ts={decision.valid_from} as="short" /> ·{" "}
              <a href={`/projects/${decision.project}`}>{decision.project}</a> · <Actor of={decision.actor} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  </Section>
);
