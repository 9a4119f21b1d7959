/** @jsxImportSource preact */
/** The review desk: one asset, what was asked for, its versions, and the verdict. */
import type { Asset, AssetDetail, AssetList } from "../assets/schema.ts";
import { getAsset, listAssets, publishAsset, reviewAsset } from "../operations/assets.ts";
import { getProject } from "../operations/projects.ts";
import type { ProjectDetail } from "../projects/schema.ts";
import { Csrf } from "./layout.tsx";
import { assetFilters, deskOf, numbered, Status } from "./library.tsx";
import { lasting, short, shortDay } from "./numbers.ts";
import { addressWith, ask, filtersOf, type Page, type View } from "./view.ts";

export async function deskPage(view: View): Promise<Page> {
  const { url, visitor, ctx } = view;
  const asset = await ask<AssetDetail>(view, getAsset, { id: view.params.id ?? "" });
  const filters = numbered(filtersOf(url, assetFilters));
  const mayRead = visitor.caller.scopes.has("feed:read") || ctx.config.publicRead;
  const other = url.searchParams.get("with");
  const [queue, project, compared] = await Promise.all([
    ask<AssetList>(view, listAssets, { ...filters, status: "pending", limit: 200 }),
    mayRead && asset.project ? ask<ProjectDetail>(view, getProject, { slug: asset.project }) : null,
    other ? ask<AssetDetail>(view, getAsset, { id: other }) : null,
  ]);
  const at = queue.assets.findIndex((one) => one.id === asset.id);
  const next = queue.assets[at + 1] ?? queue.assets.find((one) => one.id !== asset.id);
  const previous = at > 0 ? queue.assets[at - 1] : undefined;
  const mayReview = visitor.caller.scopes.has("assets:review");
  const body = (
    <div class="desk" id="desk" data-id={asset.id} data-sha256={asset.sha256}>
      <div class="head">
        <p class="crumbs">
          <a href="/assets">Assets</a> / <a href={`/assets?project=${asset.project}`}>{asset.project}</a>
        </p>
        <h1>{asset.title}</h1>
        <Status status={asset.status} /> <span class="soft">version {asset.version}</span>
        <nav class="tabs" aria-label="Queue">
          {previous && (
            <a id="previous" href={deskOf(previous, url)} rel="prev">
              Previous
            </a>
          )}
          <span class="soft">{queue.count} pending</span>
          {next && (
            <a id="next" href={deskOf(next, url)} rel="next">
              Next
            </a>
          )}
        </nav>
      </div>
      <div class="desk-columns">
        <div>
          {compared ? <Compared asset={asset} other={compared} view={view} /> : <Viewer asset={asset} />}
          <Versions asset={asset} view={view} other={other} />
        </div>
        <aside>
          <Verdict asset={asset} view={view} mayReview={mayReview} />
          {project && <Asked project={project} />}
          <About asset={asset} />
        </aside>
      </div>
      <p class="toast" id="toast" role="status" hidden />
      <dialog id="keys" aria-label="Keys">
        <h2>Keys</h2>
        <dl class="keys">
          {[
            ["J", "next in the queue"],
            ["K", "the one before"],
            ["A", "approve"],
            ["R", "reject: write the note"],
            ["U", "undo, for ten seconds"],
            ["1", "this version"],
            ["2", "beside the one before"],
            ["?", "these keys"],
          ].map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </div>
  );
  return { title: asset.title, place: "assets", body, islands: ["desk.js"] };
}

function Viewer({ asset }: { asset: Asset }) {
  const label = `${asset.title}, version ${asset.version}`;
  if (!asset.url) return <p class="viewer none">Its bytes are not kept {asset.expires_at ? "any more" : "here"}.</p>;
  switch (asset.kind) {
    case "image":
      return (
        <div class="viewer" data-zoom>
          <img src={asset.url} alt={label} width={asset.width ?? undefined} height={asset.height ?? undefined} />
        </div>
      );
    case "video":
      return (
        <div class="viewer">
          {/* biome-ignore lint/a11y/useMediaCaption: what agents upload brings no captions */}
          <video src={asset.url} controls preload="metadata" aria-label={label} poster={asset.thumb_url ?? undefined} />
          <p class="soft">
            <kbd>,</kbd> and <kbd>.</kbd> step by a frame
          </p>
        </div>
      );
    case "audio":
      return (
        <div class="viewer">
          {/* biome-ignore lint/a11y/useMediaCaption: what agents upload brings no captions */}
          <audio src={asset.url} controls preload="metadata" aria-label={label} />
        </div>
      );
    case "html":
      return <iframe class="viewer page" sandbox="allow-scripts" src={asset.bundle_url ?? asset.url} title={label} />;
    default:
      if (asset.mime.startsWith("text/")) return <iframe class="viewer page" sandbox="" src={asset.url} title={label} />;
      return (
        <p class="viewer none">
          <a class="button" href={asset.url}>
            Open {asset.kind === "pdf" ? "the PDF" : "the file"}
          </a>
        </p>
      );
  }
}

const modes = ["side", "wipe", "flicker", "difference"] as const;

/** Images over each other in four ways; everything else side by side. */
function Compared({ asset, other, view }: { asset: AssetDetail; other: AssetDetail; view: View }) {
  const [older, newer] = asset.version > other.version ? [other, asset] : [asset, other];
  const images = older.kind === "image" && newer.kind === "image" && older.url && newer.url;
  const asked = view.url.searchParams.get("mode");
  const mode = images ? (modes.find((one) => one === asked) ?? "side") : "side";
  return (
    <>
      {images && (
        <nav class="tabs" aria-label="Compare by">
          {modes.map((one) => (
            <a key={one} href={addressWith(view.url, { mode: one })} aria-current={one === mode ? "true" : undefined}>
              {one}
            </a>
          ))}
        </nav>
      )}
      {mode === "side" ? (
        <div class="side">
          {[older, newer].map((one) => (
            <figure key={one.id}>
              <figcaption class="soft">version {one.version}</figcaption>
              <Viewer asset={one} />
            </figure>
          ))}
        </div>
      ) : (
        <div class={`over ${mode}`} id="over">
          <img src={older.url ?? ""} alt={`version ${older.version}`} />
          <img src={newer.url ?? ""} alt={`version ${newer.version}`} class="upper" />
          {mode === "wipe" && <input type="range" min="0" max="100" value="50" aria-label="Wipe between the versions" id="wipe" />}
        </div>
      )}
    </>
  );
}

function Versions({ asset, view, other }: { asset: AssetDetail; view: View; other: string | null }) {
  if (asset.versions.length < 2) return null;
  return (
    <section>
      <h2>Versions</h2>
      <ol class="versions">
        {asset.versions.toReversed().map((one) => (
          <li key={one.id} class={one.id === asset.id ? "current" : undefined}>
            {one.thumb_url && <img src={one.thumb_url} alt="" loading="lazy" />}
            <span>
              <a href={deskOf(one, view.url)} aria-current={one.id === asset.id ? "true" : undefined}>
                v{one.version}
              </a>{" "}
              <Status status={one.status} />
              <span class="soft">
                {" "}
                {shortDay(one.created_at)} by {one.created_by}
              </span>
            </span>
            {one.id !== asset.id && (
              <a href={addressWith(view.url, { with: other === one.id ? null : one.id })} data-compare={one.id}>
                {other === one.id ? "Stop comparing" : "Compare"}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What the project has decided: a verdict is given beside what was asked for. */
function Asked({ project }: { project: ProjectDetail }) {
  if (project.decisions.length === 0) return null;
  return (
    <section>
      <h2>What was asked for</h2>
      <ul class="asked">
        {project.decisions.slice(0, 12).map((one) => (
          <li key={one.id} class={one.source === "review" ? "from-review" : undefined}>
            {one.text}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Verdict({ asset, view: { visitor, ctx }, mayReview }: { asset: AssetDetail; view: View; mayReview: boolean }) {
  const open = asset.status === "pending" || asset.status === "approved" || asset.status === "rejected";
  const task = asset.task_url ? (ctx.config.githubToken ? " It is also a comment on the task, which is opened again." : "") : "";
  return (
    <section class="verdict">
      <h2>Verdict</h2>
      {asset.reviewed_by && (
        <p>
          <Status status={asset.status} /> by {asset.reviewed_by}
          {asset.review_note && <span class="note">{asset.review_note}</span>}
        </p>
      )}
      {open && mayReview && !ctx.config.mock && (
        <form method="post" action={`/assets/${asset.id}/review`} id="review" class="stack">
          <Csrf visitor={visitor} />
          <input type="hidden" name="sha256" value={asset.sha256} />
          <label>
            Note
            <textarea name="note" rows={3} maxLength={4096} aria-describedby="note-goes" />
          </label>
          <p class="soft" id="note-goes">
            A rejection's note becomes a decision of {asset.project}: the next attempt's brief carries it.{task}
          </p>
          <p class="buttons">
            <button class="primary" name="decision" value="approved" type="submit">
              Approve
            </button>
            <button name="decision" value="rejected" type="submit">
              Reject
            </button>
          </p>
        </form>
      )}
      {open && !mayReview && <p class="soft">To approve or reject, sign in with a token that has the scope assets:review.</p>}
      {asset.status === "approved" && visitor.caller.scopes.has("assets:write") && (
        <form method="post" action={`/assets/${asset.id}/publish`}>
          <Csrf visitor={visitor} />
          <button type="submit">Publish</button>
        </form>
      )}
      {asset.public_url && (
        <p>
          Published at <a href={asset.public_url}>{asset.public_url}</a>{" "}
          <button type="button" data-copy={asset.public_url}>
            Copy
          </button>
        </p>
      )}
    </section>
  );
}

function About({ asset }: { asset: AssetDetail }) {
  const facts: [string, string | null][] = [
    ["Type", `${asset.kind}, ${asset.mime}`],
    [
      "Size",
      `${short(asset.size)} bytes${asset.width ? `, ${asset.width} × ${asset.height}` : ""}${asset.duration_ms === null ? "" : `, ${lasting(asset.duration_ms)}`}`,
    ],
    ["Made", `${shortDay(asset.created_at)} by ${asset.created_by}`],
    ["Tags", asset.tags.join(", ") || null],
    ["Kept until", asset.expires_at && shortDay(asset.expires_at)],
    ["SHA-256", asset.sha256],
  ];
  return (
    <section>
      <h2>About</h2>
      {asset.description && <p class="decision">{asset.description}</p>}
      <dl class="about">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
        {asset.task_url && (
          <div>
            <dt>Task</dt>
            <dd>
              <a href={asset.task_url} rel="noreferrer">
                #{asset.pr ?? asset.issue}
              </a>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** The verdict of a page without scripts; the next one in the queue follows. */
export async function reviewForm(view: View, form: Map<string, string>): Promise<string> {
  const id = view.params.id ?? "";
  const note = form.get("note")?.trim();
  await ask<Asset>(view, reviewAsset, { id, decision: form.get("decision"), note, sha256: form.get("sha256") });
  return `/assets/${id}`;
}

export async function publishForm(view: View): Promise<string> {
  const id = view.params.id ?? "";
  await ask<Asset>(view, publishAsset, { id });
  return `/assets/${id}`;
}
