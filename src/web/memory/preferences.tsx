/** @jsxImportSource preact */
/** The preferences of the memory page: the global ones, or those that apply to a project. */

import type { CurrentPreference, PreferenceList } from "../../memory/list-schemas.ts";
import { getPreferences } from "../../memory/operations.ts";
import { Actor } from "../actor.tsx";
import { EmptyState } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, type View } from "../view.ts";
import { WideTable } from "./wide-table.tsx";

export async function preferencesSection(view: View, project: string | undefined) {
  const { preferences } = await callOperation<PreferenceList>(view, getPreferences, { project });
  return (
    <section>
      <h2>{project ? `Preferences that apply to ${project}` : "Preferences for all projects"}</h2>
      {preferences.length === 0 ? (
        <EmptyState title="No preferences yet.">
          <p>
            Set one with <code>svc prefer commit.style "…"</code>, or tell your agent.
          </p>
        </EmptyState>
      ) : (
        <WideTable label="Preferences" class="preferences" heads={["Key", "Value", "For", "Set"]}>
          {preferences.map((preference) => (
            <Row key={preference.key} preference={preference} />
          ))}
        </WideTable>
      )}
      {!project && (
        <p class="soft">Choose a project to see its own values. They take precedence over these.</p>
      )}
    </section>
  );
}

const Row = ({
  preference: { key, value, project, actor, valid_from },
}: {
  preference: CurrentPreference;
}) => (
  <tr>
    <th scope="row">
      <code>{key}</code>
    </th>
    <td class="title">{value}</td>
    <td>{project ?? "all projects"}</td>
    <td>
      <Time ts={valid_from} /> by <Actor of={actor} />
    </td>
  </tr>
);
