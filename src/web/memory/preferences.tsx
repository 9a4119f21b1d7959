/** @jsxImportSource preact */
/** The preferences of the memory page: the global ones or those of a project, and the forms that set them. */

import type { CurrentPreference, PreferenceList } from "../../memory/list-schemas.ts";
import { getPreferences, prefer } from "../../memory/operations.ts";
import { Actor } from "../actor.tsx";
import { CsrfField, EmptyState, hasScope } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, type View } from "../view.ts";
import { WideTable } from "./wide-table.tsx";

/** A preference that was just set, and the value before, if it is short enough for a URL. */
export const preferenceParameters = ["set", "was"];
const undoCharsMax = 500;

export async function preferencesSection(view: View, project: string | undefined) {
  const { preferences } = await callOperation<PreferenceList>(view, getPreferences, { project });
  const canWrite = hasScope(view, "memory:write");
  return (
    <section>
      <SetNotice view={view} project={project} />
      <h2>{project ? `Preferences that apply to ${project}` : "Preferences for all projects"}</h2>
      {canWrite && <NewPreference view={view} project={project} />}
      {preferences.length === 0 ? (
        <EmptyState title="No preferences yet.">
          <p>
            Set one here or with <code>svc prefer commit.style "…"</code>, or tell your agent.
          </p>
        </EmptyState>
      ) : (
        <WideTable label="Preferences" class="preferences" heads={["Key", "Value", "For", "Set"]}>
          {preferences.map((preference) => (
            <Row key={preference.key} view={view} preference={preference} canWrite={canWrite} />
          ))}
        </WideTable>
      )}
      {!project && (
        <p class="soft">Choose a project to see its own values. They take precedence over these.</p>
      )}
    </section>
  );
}

interface RowProps {
  view: View;
  preference: CurrentPreference;
  canWrite: boolean;
}

const Row = ({ view, preference, canWrite }: RowProps) => {
  const { key, value, project, actor, valid_from } = preference;
  return (
    <tr>
      <th scope="row">
        <code>{key}</code>
      </th>
      <td class="title">
        {value}
        {canWrite && (
          <details>
            <summary aria-label={`Edit ${key}`}>Edit</summary>
            <PreferenceForm view={view} project={project} of={key} value={value} />
          </details>
        )}
      </td>
      <td>{project ?? "all projects"}</td>
      <td>
        <Time ts={valid_from} /> by <Actor of={actor} />
      </td>
    </tr>
  );
};

interface FormProps {
  view: View;
  /** Null: for all projects. */
  project: string | null;
  /** Its key; to be typed if it is empty. */
  of?: string;
  value?: string;
}

const PreferenceForm = ({ view, project, of, value = "" }: FormProps) => (
  <form class="stack" method="post" action="/memory/preferences">
    <CsrfField token={view.visitor.csrf} />
    {project !== null && <input type="hidden" name="project" value={project} />}
    <input type="hidden" name="was" value={value} />
    {of === undefined ? (
      <label>
        Key{" "}
        <input
          name="key"
          required
          maxLength={128}
          pattern="[A-Za-z0-9][A-Za-z0-9._\/\-]*"
          placeholder="commit.style"
        />
      </label>
    ) : (
      <input type="hidden" name="key" value={of} />
    )}
    <label>
      Value
      <textarea name="value" rows={3} maxLength={4096} required>
        {value}
      </textarea>
    </label>
    <p class="buttons">
      <button type="submit">Save</button>
    </p>
  </form>
);

const NewPreference = ({ view, project }: { view: View; project: string | undefined }) => (
  <details class="decide">
    <summary>Set a preference for {project ?? "all projects"}</summary>
    <PreferenceForm view={view} project={project ?? null} />
  </details>
);

function SetNotice({ view, project }: { view: View; project: string | undefined }) {
  const { set, was } = filtersOf(view.url, preferenceParameters);
  if (set === undefined) return null;
  return (
    <form class="notice good undo" method="post" action="/memory/preferences">
      <CsrfField token={view.visitor.csrf} />
      <span role="status">
        Saved <code>{set}</code>. The next brief has it.
      </span>
      {was !== undefined && (
        <>
          <input type="hidden" name="key" value={set} />
          <input type="hidden" name="value" value={was} />
          {project && <input type="hidden" name="project" value={project} />}
          <button type="submit" class="plain">
            Undo
          </button>
        </>
      )}
    </form>
  );
}

/** Sets a preference. @returns the URL of the preferences, where it can be undone */
export async function submitPreference(view: View, form: ReadonlyMap<string, string>): Promise<string> {
  const [key = "", value, project, was = ""] = ["key", "value", "project", "was"].map((name) =>
    form.get(name),
  );
  const given = { key, value: value?.trim(), project, source: "web" };
  await callOperation(view, prefer, given);
  const canUndo = was !== "" && was !== value && was.length <= undoCharsMax;
  return `/memory?${new URLSearchParams({
    view: "preferences",
    ...(project && { project }),
    set: key,
    ...(canUndo && { was }),
  })}`;
}
