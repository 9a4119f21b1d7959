/** @jsxImportSource preact */
/** The asset library: what was made, as a grid or a list, and the place to drop more. */
import { type Asset, AssetKind, type AssetList, AssetStatus } from "../assets/schema.ts";
import { listAssets } from "../operations/assets.ts";
import { listProjects } from "../operations/projects.ts";
import type { ProjectList } from "../projects/schema.ts";
import { Icon, type IconName } from "./icons.tsx";
import { Choose, Empty } from "./layout.tsx";
import { short, shortDay } from "./numbers.ts";
import { addressWith, ask, filtersOf, type Page, type View } from "./view.ts";

export const assetFilters = ["project", "status", "kind", "issue", "pr"] as const;

export async function assetsPage(view: View): Promise<Page> {
  const filters = filtersOf(view.url, assetFilters);
  const [list, { projects }] = await Promise.all([
    ask<AssetList>(view, listAssets, { ...numbered(filters), ...filtersOf(view.url, ["cursor"]), limit: 60 }),
    view.visitor.caller.scopes.has("feed:read") || view.ctx.config.publicRead
      ? ask<ProjectList>(view, listProjects)
      : { projects: [] as ProjectList["projects"] },
  ]);
  const asRows = view.url.searchParams.get("as") === "list";
  const slugs = projects.map((one) => one.slug);
  const pending = list.assets.filter((one) => one.status === "pending").length;
  const mayUpload = view.visitor.caller.scopes.has("assets:write") && view.ctx.store !== null;
  const body = (
    <>
      <div class="head">
        <h1>Assets</h1>
        <nav class="tabs" aria-label="Show as">
          <a href={addressWith(view.url, { as: null })} aria-current={asRows ? undefined : "true"}>
            Grid
          </a>
          <a href={addressWith(view.url, { as: "list" })} aria-current={asRows ? "true" : undefined}>
            List
          </a>
        </nav>
        {pending > 0 && (
          <a class="button primary" href={deskOf(list.assets.find((one) => one.status === "pending") as Asset, view.url)}>
            Review {pending} pending
          </a>
        )}
      </div>
      <form class="filters" method="get" action="/assets">
        <Choose name="project" label="Project" value={filters.project} options={slugs} />
        <Choose name="status" label="Status" value={filters.status} options={AssetStatus.enum as string[]} />
        <Choose name="kind" label="Kind" value={filters.kind} options={AssetKind.enum as string[]} />
        <label>
          Issue <input name="issue" inputMode="numeric" pattern="[0-9]*" size={6} value={filters.issue ?? ""} />
        </label>
        {asRows && <input type="hidden" name="as" value="list" />}
        <button type="submit">Apply</button>
        {Object.keys(filters).length > 0 && <a href="/assets">Clear</a>}
      </form>
      {mayUpload && <Drop projects={slugs} chosen={filters.project} />}
      {list.assets.length === 0 ? (
        <Empty title={Object.keys(filters).length > 0 ? "Nothing matches these filters." : "Nothing was made yet."} />
      ) : asRows ? (
        <Rows assets={list.assets} url={view.url} />
      ) : (
        <ul class="grid">
          {list.assets.map((one) => (
            <Tile key={one.id} asset={one} url={view.url} />
          ))}
        </ul>
      )}
      {list.next_cursor && (
        <p class="older">
          <a href={addressWith(view.url, { cursor: list.next_cursor })} rel="next">
            More
          </a>
        </p>
      )}
    </>
  );
  return { title: "Assets", place: "assets", body, islands: mayUpload ? ["upload.js"] : [] };
}

/** Numbers of the address as the operations take them; what is none goes as it is and is refused there. */
export const numbered = (filters: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      (name === "issue" || name === "pr") && /^\d+$/.test(value) ? Number(value) : value,
    ]),
  );

/** The desk at an asset, within the filters of the list. */
export function deskOf({ id }: Pick<Asset, "id">, url: URL): string {
  const query = new URLSearchParams(filtersOf(url, assetFilters)).toString();
  return `/assets/${id}${query && `?${query}`}`;
}

const kindIcons: Record<Asset["kind"], IconName> = {
  image: "image",
  video: "run",
  audio: "sliders",
  pdf: "book",
  html: "globe",
  file: "layers",
};

function Tile({ asset, url }: { asset: Asset; url: URL }) {
  return (
    <li class="tile">
      <a href={deskOf(asset, url)}>
        <span class="thumb">
          {asset.thumb_url ? <img src={asset.thumb_url} alt="" loading="lazy" /> : <Icon name={kindIcons[asset.kind]} />}
        </span>
        <span class="tile-title">{asset.title}</span>
      </a>
      <p class="soft">
        <Status status={asset.status} /> v{asset.version} · {asset.project}
      </p>
    </li>
  );
}

function Rows({ assets, url }: { assets: Asset[]; url: URL }) {
  return (
    <table>
      <thead>
        <tr>
          {["Title", "Status", "Version", "Kind", "Bytes", "Project", "Made", "By"].map((name) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {assets.map((one) => (
          <tr key={one.id}>
            <td>
              <a href={deskOf(one, url)}>{one.title}</a>
            </td>
            <td>
              <Status status={one.status} />
            </td>
            <td>{one.version}</td>
            <td>{one.kind}</td>
            <td>{short(one.size)}</td>
            <td>{one.project}</td>
            <td>{shortDay(one.created_at)}</td>
            <td>{one.created_by}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const tones: Record<Asset["status"], string> = {
  pending: "warn",
  approved: "good",
  rejected: "bad",
  superseded: "quiet",
  published: "good",
};

export const Status = ({ status }: Pick<Asset, "status">) => <span class={`status ${tones[status]}`}>{status}</span>;

/** Files dropped, pasted or picked go up one after the other; the script shows how far they are. */
function Drop({ projects, chosen }: { projects: string[]; chosen: string | undefined }) {
  return (
    <form class="drop" id="drop" aria-label="Upload">
      <Choose name="project" label="To" value={chosen ?? projects[0]} options={projects} all={false} />
      <label>
        For issue <input name="issue" inputMode="numeric" pattern="[0-9]*" size={6} />
      </label>
      <label class="button">
        Choose files
        <input type="file" name="file" multiple class="unseen" />
      </label>
      <span class="soft">or drop or paste them anywhere</span>
      <ul id="uploads" aria-live="polite" />
    </form>
  );
}
