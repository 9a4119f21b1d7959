/** The asset library: a grid, a list or a contact sheet, the upload form, and the bulk review form. */

import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import type { AssetList } from "../../library/assets/schema.ts";
import { listAssets } from "../../library/operations/assets.ts";
import { countMax } from "../../library/review-queue/items.ts";
import { countItems } from "../../library/variant-sets/group.ts";
import { loadReplacedVerdicts } from "../../library/verdicts/earlier.ts";
import { setPath } from "../../memory/set-ref.ts";
import { loadWaiting, type Waiting } from "../desk/queue.ts";
import { countText } from "../format.ts";
import { EmptyState, hasScope, MissingScope, maySetUp, Select } from "../layout.tsx";
import { Found, isFiltered, ListFilters } from "../lists/filters.tsx";
import { listOrRefused, RefusedFilter } from "../lists/refused-filter.ts";
import type { ScriptName } from "../static-files.ts";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";
import { deskUrl, loadReviewed, ReviewedNotice } from "./asset.tsx";
import { ContactSheet, PrintButton } from "./contact-sheet.tsx";
import { assetFields, assetFilters, TaskField, withNumbers } from "./filters.tsx";
import { foldSets, Grid } from "./grid.tsx";
import { Rows } from "./tiles.tsx";
import { bucketOrigins, FilePicker, UploadForm } from "./upload.tsx";

const pageLength = 60;

/** Ways to show the list, by the parameter `as`. */
const shapes = [
  { as: null, label: "Grid" },
  { as: "list", label: "List" },
  { as: "sheet", label: "Contact sheet" },
] as const;

export async function assetsPage(view: View): Promise<Page> {
  const { url } = view;
  const filters = filtersOf(url, assetFilters);
  const [found, { projects }, reviewed] = await Promise.all([
    listOrRefused(view, assetFilters, () =>
      callOperation<AssetList>(view, listAssets, {
        // Who asks for replaced versions wants to see them.
        versions: filters.status === "superseded" ? "all" : "newest",
        ...withNumbers(filters),
        ...filtersOf(url, ["cursor"]),
        limit: pageLength,
      }),
    ),
    hasScope(view, "feed:read")
      ? callOperation<ProjectList>(view, listProjects)
      : { projects: [] as ProjectList["projects"] },
    loadReviewed(view),
  ]);
  const { status: wanted = "pending", ...others } = filters;
  const hasQueue =
    wanted === "pending" && hasScope(view, "assets:review") && !(found instanceof RefusedFilter);
  const waiting = hasQueue ? await loadWaiting(view, withNumbers(others)) : null;
  const named = url.searchParams.get("as");
  const shape = shapes.find(({ as }) => as === named) ?? shapes[0];
  const slugs = projects.map((project) => project.slug);
  const refused = found instanceof RefusedFilter ? found : undefined;
  const list = found instanceof RefusedFilter ? { assets: [], next_cursor: null } : found;
  const verdicts = await loadReplacedVerdicts(view.ctx, list.assets);
  const hasSets = filters.set !== undefined || list.assets.some(({ set }) => set !== null);
  const fields = assetFields(slugs, hasSets);
  // The scripts of uploads and of bulk reviews know the rows of the page.
  const listed = { url, fields, keeps: ["as"], refused, loads: true };
  const isWaiting = list.assets.some((asset) => asset.status === "pending");
  const hasNoProjects = hasScope(view, "feed:read") && slugs.length === 0;
  const isSheet = shape.as === "sheet";
  const canUpload = !isSheet && hasScope(view, "assets:write") && view.ctx.store !== null && !hasNoProjects;
  const canReview = !isSheet && hasScope(view, "assets:review") && isWaiting;
  const body = (
    <>
      <ReviewedNotice reviewed={reviewed} />
      <div class="head">
        <h1>Assets</h1>
        <nav class="tabs" aria-label="View">
          {shapes.map(({ as, label }) => (
            <a
              key={label}
              href={urlWith(url, { as, reviewed: null })}
              aria-current={as === shape.as ? "true" : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        {isSheet && <PrintButton />}
        {filters.project && filters.set && (
          <a class="button" href={setPath(filters.project, filters.set)}>
            Open the variant set
          </a>
        )}
        {waiting && <QueueLink waiting={waiting} filters={filters} url={url} />}
      </div>
      <ListFilters {...listed} />
      {canUpload ? (
        <AssetUpload view={view} slugs={slugs} filters={filters} />
      ) : view.ctx.store && !hasNoProjects && !isSheet ? (
        <div class="upload-box">
          <MissingScope view={view} scope="assets:write" to="upload" />
        </div>
      ) : null}
      <div id="assets">
        <Found {...listed}>
          {list.assets.length === 0 ? (
            <NoAssets
              view={view}
              isFiltered={isFiltered(url, fields)}
              isQueue={filters.status === "pending"}
              hasNoProjects={hasNoProjects}
            />
          ) : isSheet ? (
            <ContactSheet assets={list.assets} verdicts={verdicts} url={url} filters={filters} />
          ) : shape.as === "list" ? (
            <Rows assets={list.assets} verdicts={verdicts} url={url} isSelectable={canReview} />
          ) : (
            <Grid
              items={await foldSets(view, list.assets, filters)}
              verdicts={verdicts}
              url={url}
              isSelectable={canReview}
            />
          )}
          {list.next_cursor && (
            <p class="older">
              <a class="button" href={urlWith(url, { cursor: list.next_cursor, reviewed: null })} rel="next">
                More assets
              </a>
            </p>
          )}
        </Found>
      </div>
      {canReview && <BulkReview />}
      <div class="toast" id="toast" role="status" hidden />
    </>
  );
  const islands: ScriptName[] = [
    canReview ? "library-review.js" : "library.js",
    ...(isSheet ? (["contact-sheet.js"] as const) : []),
  ];
  const status = refused?.status ?? 200;
  return { title: "Assets", navEntry: "assets", status, body, islands, connectOrigins: bucketOrigins(view) };
}

interface QueueLinkProps {
  waiting: Waiting;
  filters: Record<string, string>;
  url: URL;
}

/** A link to the review queue, at its first asset. A variant set is one of those that are counted. */
function QueueLink({ waiting, filters, url }: QueueLinkProps) {
  const { assets, hasMore } = waiting;
  const [first] = assets;
  if (!first) return null;
  const count = filters.set === undefined ? countItems(assets) : assets.length;
  return (
    <a class="button primary to-queue" href={deskUrl(first, url)}>
      Review {countText(hasMore ? countMax : count)} pending
    </a>
  );
}

/** @param hasNoProjects whether no project is linked yet */
const NoAssets = ({
  view,
  isFiltered,
  isQueue,
  hasNoProjects,
}: {
  view: View;
  isFiltered: boolean;
  isQueue: boolean;
  hasNoProjects: boolean;
}) => (
  <EmptyState
    title={
      isQueue
        ? "No assets are waiting for review."
        : isFiltered
          ? "No assets match these filters."
          : "No assets yet."
    }
  >
    {isFiltered ? null : !maySetUp(view) ? (
      <p>Uploads of agents and people appear here.</p>
    ) : hasNoProjects ? (
      <p>
        Assets belong to a project. Link one with <code>svc project link atlas --repo owner/name</code>, or
        see <a href="/welcome">Get started</a>.
      </p>
    ) : (
      <p>
        Agents can upload with <code>svc asset push FILE --project …</code>, the API, or MCP. See{" "}
        <a href="/welcome">Get started</a>.
      </p>
    )}
  </EmptyState>
);

/** The upload form. The script uploads dropped, pasted, or picked files one at a time and shows progress. */
function AssetUpload({
  view,
  slugs,
  filters,
}: {
  view: View;
  slugs: string[];
  filters: Record<string, string>;
}) {
  return (
    <details class="upload-box">
      <summary class="button">
        Upload <span class="soft">or drop or paste files anywhere on this page</span>
      </summary>
      <UploadForm view={view} label="Upload">
        {slugs.length > 0 ? (
          <Select
            name="project"
            label="Upload to"
            value={filters.project ?? slugs[0]}
            options={slugs}
            hasAll={false}
          />
        ) : (
          <label>
            Upload to <input name="project" required placeholder="project" />
          </label>
        )}
        <TaskField name="issue" label="For issue" value={filters.issue} />
        <FilePicker label="Choose files" multiple />
      </UploadForm>
    </details>
  );
}

/** Reviews all selected assets with one decision and one note. */
const BulkReview = () => (
  <form class="bulk" id="bulk" aria-label="Review selected assets" hidden>
    <p>
      <strong id="bulk-count">None selected</strong>{" "}
      <button type="button" class="plain" id="bulk-all">
        Select all pending
      </button>
    </p>
    <label>
      Note <input name="note" maxLength={2000} placeholder="What to change (required to reject)" />
    </label>
    <p class="buttons">
      <button class="primary" name="decision" value="approved" type="submit">
        Approve
      </button>
      <button class="danger" name="decision" value="rejected" type="submit">
        Reject
      </button>
    </p>
  </form>
);
