/** @jsxImportSource preact */
/** The asset library: a grid or a list, the upload form, and the bulk review form. */
import { type Asset, AssetKind, type AssetList, AssetStatus } from "../assets/schema.ts";
import { listAssets } from "../operations/assets.ts";
import { listProjects } from "../operations/projects.ts";
import type { ProjectList } from "../projects/schema.ts";
import { assetFilters, deskOf, numbered, Reviewed, reviewedOf } from "./asset.tsx";
import { Rows, Tile } from "./asset-tiles.tsx";
import { Choose, Empty, Lacks, maySay } from "./layout.tsx";
import type { ScriptName } from "./static-files.ts";
import { bucketOf, FileForm, Picker } from "./upload.tsx";
import { addressWith, ask, filtersOf, type Page, type View } from "./view.ts";

const pageLength = 60;

export async function assetsPage(view: View): Promise<Page> {
  const { url } = view;
  const filters = filtersOf(url, assetFilters);
  const [list, { projects }, reviewed] = await Promise.all([
    ask<AssetList>(view, listAssets, {
      ...numbered(filters),
      ...filtersOf(url, ["cursor"]),
      limit: pageLength,
    }),
    maySay(view, "feed:read")
      ? ask<ProjectList>(view, listProjects)
      : { projects: [] as ProjectList["projects"] },
    reviewedOf(view),
  ]);
  const asRows = url.searchParams.get("as") === "list";
  const slugs = projects.map((one) => one.slug);
  const pending = list.assets.filter((one) => one.status === "pending");
  const nowhere = maySay(view, "feed:read") && slugs.length === 0;
  const mayUpload = maySay(view, "assets:write") && view.ctx.store !== null && !nowhere;
  const mayReview = maySay(view, "assets:review") && pending.length > 0;
  const body = (
    <>
      <Reviewed asset={reviewed} />
      <div class="head">
        <h1>Assets</h1>
        <nav class="tabs" aria-label="View">
          <a href={addressWith(url, { as: null, reviewed: null })} aria-current={asRows ? undefined : "true"}>
            Grid
          </a>
          <a
            href={addressWith(url, { as: "list", reviewed: null })}
            aria-current={asRows ? "true" : undefined}
          >
            List
          </a>
        </nav>
        <Waiting pending={pending} hasMore={list.next_cursor !== null} url={url} />
      </div>
      <Filters filters={filters} slugs={slugs} asRows={asRows} />
      {mayUpload ? (
        <Drop view={view} slugs={slugs} filters={filters} />
      ) : view.ctx.store && !nowhere ? (
        <Lacks view={view} scope="assets:write" to="upload" />
      ) : null}
      <div id="assets">
        {list.assets.length === 0 ? (
          <Nothing
            filtered={Object.keys(filters).length > 0}
            isQueue={filters.status === "pending"}
            nowhere={nowhere}
          />
        ) : asRows ? (
          <Rows assets={list.assets} url={url} choosable={mayReview} />
        ) : (
          <ul class="grid">
            {list.assets.map((one) => (
              <Tile key={one.id} asset={one} url={url} choosable={mayReview} />
            ))}
          </ul>
        )}
        {list.next_cursor && (
          <p class="older">
            <a
              class="button"
              href={addressWith(url, { cursor: list.next_cursor, reviewed: null })}
              rel="next"
            >
              More assets
            </a>
          </p>
        )}
      </div>
      {mayReview && <Bulk />}
      <p class="toast" id="toast" role="status" hidden />
    </>
  );
  const islands: ScriptName[] = [
    ...(mayUpload ? (["upload.js"] as const) : []),
    ...(mayReview ? (["bulk.js"] as const) : []),
  ];
  return { title: "Assets", place: "assets", body, islands, asks: bucketOf(view) };
}

/** A link to the review queue, at its first pending asset. */
function Waiting({ pending, hasMore, url }: { pending: Asset[]; hasMore: boolean; url: URL }) {
  const [first] = pending;
  if (!first) return null;
  return (
    <a class="button primary to-queue" href={deskOf(first, url)}>
      Review {pending.length}
      {hasMore && pending.length === pageLength ? "+" : ""} pending
    </a>
  );
}

function Filters({
  filters,
  slugs,
  asRows,
}: {
  filters: Record<string, string>;
  slugs: string[];
  asRows: boolean;
}) {
  return (
    <form class="filters" method="get" action="/assets">
      {slugs.length > 0 && <Choose name="project" label="Project" value={filters.project} options={slugs} />}
      <Choose name="status" label="Status" value={filters.status} options={AssetStatus.enum as string[]} />
      <Choose name="kind" label="Kind" value={filters.kind} options={AssetKind.enum as string[]} />
      <TaskField name="issue" label="Issue" value={filters.issue} />
      <TaskField name="pr" label="Pull request" value={filters.pr} />
      {asRows && <input type="hidden" name="as" value="list" />}
      <button type="submit">Apply</button>
      {Object.keys(filters).length > 0 && (
        <a class="clear" href="/assets">
          Clear
        </a>
      )}
    </form>
  );
}

const TaskField = ({ name, label, value }: { name: string; label: string; value?: string | undefined }) => (
  <label>
    {label}{" "}
    <input name={name} inputMode="numeric" pattern="[0-9]*" size={7} value={value ?? ""} placeholder="#" />
  </label>
);

/** @param nowhere whether no project is linked yet */
const Nothing = ({
  filtered,
  isQueue,
  nowhere,
}: {
  filtered: boolean;
  isQueue: boolean;
  nowhere: boolean;
}) => (
  <Empty
    title={
      isQueue
        ? "No assets are waiting for review."
        : filtered
          ? "No assets match these filters."
          : "No assets yet."
    }
  >
    {filtered ? (
      <a href="/assets">Clear filters</a>
    ) : nowhere ? (
      <p>
        Assets belong to a project. Link one with <code>svc project link atlas --repo owner/name</code>
      </p>
    ) : (
      <p>
        Agents can upload with <code>svc asset push FILE --project …</code>, the API, or MCP.
      </p>
    )}
  </Empty>
);

/** The upload form. The script uploads dropped, pasted, or picked files one at a time and shows progress. */
function Drop({ view, slugs, filters }: { view: View; slugs: string[]; filters: Record<string, string> }) {
  return (
    <FileForm view={view} label="Upload">
      {slugs.length > 0 ? (
        <Choose
          name="project"
          label="Upload to"
          value={filters.project ?? slugs[0]}
          options={slugs}
          all={false}
        />
      ) : (
        <label>
          Upload to <input name="project" required placeholder="project" />
        </label>
      )}
      <TaskField name="issue" label="For issue" value={filters.issue} />
      <Picker label="Choose files" multiple />
      <span class="soft">or drop or paste files anywhere on this page</span>
    </FileForm>
  );
}

/** Reviews all selected assets with one decision and one note. */
const Bulk = () => (
  <form class="bulk" id="bulk" aria-label="Review selected assets" hidden>
    <p>
      <strong id="bulk-count">None selected</strong>{" "}
      <button type="button" class="plain" id="bulk-all">
        Select all pending
      </button>
    </p>
    <label>
      Note <input name="note" maxLength={2000} placeholder="Required to reject: what to change" />
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
