/**
 * The review settings of a project: whether repeats are refused, and for each kind of assets, who has to
 * approve it, and the checklist.
 */

import { type AssetKind, assetKinds } from "../../library/assets/schema.ts";
import { lineOfItem } from "../../library/checklists/items.ts";
import type { Checklist, ChecklistList } from "../../library/checklists/schema.ts";
import { listChecklists } from "../../library/operations/checklists.ts";
import { getRepeatPolicy } from "../../library/operations/repeats.ts";
import { listReviewPolicies } from "../../library/operations/review-policies.ts";
import type { RepeatPolicy } from "../../library/repeats/schema.ts";
import type { ReviewPolicy, ReviewPolicyList } from "../../library/verdicts/schema.ts";
import { rolesText } from "../../library/verdicts/text.ts";
import { Actor } from "../actor.tsx";
import { kindRows } from "../assets/kinds.ts";
import { pluralize } from "../format.ts";
import { hasScope, MissingScope, PostForm, Submit } from "../layout.tsx";
import { Notice } from "../notice.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { type GivenRole, RoleFields } from "./policy-form.tsx";

/** Settings that were not saved: the error, and what was typed. */
export interface RefusedSetting {
  kind: string;
  message: string;
  roles?: GivenRole[];
  items?: string;
}

export async function reviewSettingsPage(view: View, refused?: RefusedSetting): Promise<Page> {
  const slug = view.params.slug ?? "";
  const [{ policies }, { checklists }, repeats] = await Promise.all([
    callOperation<ReviewPolicyList>(view, listReviewPolicies, { slug }),
    callOperation<ChecklistList>(view, listChecklists, { slug }),
    callOperation<RepeatPolicy>(view, getRepeatPolicy, { slug }),
  ]);
  const canWrite = hasScope(view, "reviews:write");
  const body = (
    <>
      <div class="head">
        <p class="crumbs">
          <a href="/projects">Projects</a> / <a href={`/projects/${slug}`}>{slug}</a>
        </p>
        <h1>Review settings</h1>
      </div>
      <p class="lede">
        Who has to approve the assets of {slug}, and what they check. See <a href="/docs/review">Review</a>.
      </p>
      {!canWrite && <MissingScope view={view} scope="reviews:write" to="change these settings" />}
      <RepeatForm view={view} slug={slug} canWrite={canWrite} policy={repeats} />
      <div class="review-settings">
        {assetKinds.map((kind) => (
          <KindSettings
            key={kind}
            view={view}
            slug={slug}
            kind={kind}
            canWrite={canWrite}
            policy={policies.find((one) => one.kind === kind)}
            checklist={checklists.find((one) => one.kind === kind)}
            refused={refused?.kind === kind ? refused : undefined}
          />
        ))}
      </div>
    </>
  );
  return { title: `Review settings of ${slug}`, navEntry: "projects", body };
}

interface KindProps {
  view: View;
  slug: string;
  kind: AssetKind;
  canWrite: boolean;
  policy: ReviewPolicy | undefined;
  checklist: Checklist | undefined;
  refused: RefusedSetting | undefined;
}

function KindSettings(props: KindProps) {
  const { kind, policy, checklist, refused, canWrite } = props;
  const summary = [
    policy ? `needs ${rolesText(policy.need)}` : "one approval is enough",
    checklist ? pluralize(checklist.items.length, "item") : "no checklist",
  ].join(", ");
  return (
    <details class="panel" open={Boolean(policy ?? checklist ?? refused)}>
      <summary>
        <h2>{kindRows[kind].title}</h2> <span class="soft">{summary}</span>
      </summary>
      <Notice text={refused?.message} />
      {canWrite ? (
        <div class="setting-forms">
          <PolicyForm {...props} />
          <ChecklistForm {...props} />
        </div>
      ) : (
        checklist && (
          <ul>
            {checklist.items.map((item) => (
              <li key={item.id}>
                <bdi>{lineOfItem(item)}</bdi>
              </li>
            ))}
          </ul>
        )
      )}
    </details>
  );
}

const PolicyForm = ({ view, slug, kind, policy, refused }: KindProps) => (
  <PostForm view={view} action={`/projects/${slug}/review-policies/${kind}`} class="stack">
    <RoleFields policy={policy} given={refused?.roles} hintId={`need-hint-${kind}`} />
    <p class="soft" id={`need-hint-${kind}`}>
      Tokens and share links have these roles. Without one, any reviewer can approve.
      {policy && <ChangedBy {...policy} />}
    </p>
    <Submit text="Save policy" />
  </PostForm>
);

/** What happens to a file that was rejected and is uploaded again. */
const RepeatForm = ({
  view,
  slug,
  canWrite,
  policy,
}: Pick<KindProps, "view" | "slug" | "canWrite"> & { policy: RepeatPolicy }) => (
  <PostForm view={view} action={`/projects/${slug}/repeat-policy`} class="panel stack">
    <label>
      A file that was rejected and comes back unchanged
      <select name="repeats" disabled={!canWrite} aria-describedby="repeats-hint">
        <option value="accept" selected={!policy.refuse}>
          waits after the others
        </option>
        <option value="refuse" selected={policy.refuse}>
          is refused
        </option>
      </select>
    </label>
    <p class="soft" id="repeats-hint">
      Its uploader is told the note of the rejection.
      {policy.changed_at !== null && policy.changed_by !== null && (
        <ChangedBy changed_at={policy.changed_at} changed_by={policy.changed_by} />
      )}
    </p>
    {canWrite && <Submit text="Save" />}
  </PostForm>
);

const ChecklistForm = ({ view, slug, kind, checklist, refused }: KindProps) => (
  <PostForm view={view} action={`/projects/${slug}/checklists/${kind}`} class="stack">
    <label>
      Checklist
      <textarea
        name="items"
        rows={Math.max(4, (checklist?.items.length ?? 0) + 1)}
        placeholder={"Logo visible\nColors match (optional)"}
        aria-describedby={`items-hint-${kind}`}
      >
        {refused?.items ?? checklist?.items.map(lineOfItem).join("\n")}
      </textarea>
    </label>
    <p class="soft" id={`items-hint-${kind}`}>
      One item a line. A change makes a new version.
      {checklist && <ChangedBy {...checklist} />}
    </p>
    <Submit text="Save checklist" />
  </PostForm>
);

const ChangedBy = ({
  changed_at,
  changed_by,
  version,
}: Partial<Checklist> & Pick<Checklist, "changed_at" | "changed_by">) => (
  <>
    {" "}
    {version === undefined ? "Set" : `Version ${version}, set`} by <Actor of={changed_by} />,{" "}
    <Time ts={changed_at} />.
  </>
);
