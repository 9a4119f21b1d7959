/** @jsxImportSource preact */
/** Assets as tiles and as rows, each with the box that chooses it. */
import type { Asset } from "../assets/schema.ts";
import { isolateBidi } from "../lib/display-text.ts";
import { deskOf, kindIcons, SmallThumb, Status } from "./asset.tsx";
import { bytes, lasting, shortDay, shortType } from "./format.ts";
import { Icon } from "./icons.tsx";

export function Tile({ asset, url, choosable }: { asset: Asset; url: URL; choosable: boolean }) {
  return (
    <li class="tile">
      <a href={deskOf(asset, url)}>
        <Thumb asset={asset} />
        <bdi class="tile-title">{asset.title}</bdi>
      </a>
      <p class="soft">
        <Status status={asset.status} />
        <span>
          v{asset.version} · {asset.project}
        </span>
      </p>
      {choosable && asset.status === "pending" && <Choice asset={asset} />}
    </li>
  );
}

/** Its picture; what has none says what it is, what has a length says it. */
const Thumb = ({ asset }: { asset: Asset }) => (
  <span class="thumb">
    {asset.thumb_url ? (
      <>
        <img src={asset.thumb_url} alt="" loading="lazy" />
        {asset.kind !== "image" && (
          <span class="badge">
            <Icon name={kindIcons[asset.kind]} />{" "}
            {asset.duration_ms === null ? asset.kind : lasting(asset.duration_ms)}
          </span>
        )}
      </>
    ) : (
      <>
        <Icon name={kindIcons[asset.kind]} />
        <span class="soft">
          {asset.kind === "file" ? shortType(asset.mime) : asset.kind},{" "}
          {asset.duration_ms === null ? bytes(asset.size) : lasting(asset.duration_ms)}
        </span>
      </>
    )}
  </span>
);

/** Of scripts alone, so it is hidden until one shows it. */
const Choice = ({ asset }: { asset: Asset }) => (
  <label class="choice" hidden>
    <input
      type="checkbox"
      value={asset.id}
      data-sha256={asset.sha256}
      data-status={asset.status}
      data-reviewed={asset.reviewed_at ?? ""}
      data-title={isolateBidi(asset.title)}
    />
    <span class="unseen">
      Choose <bdi>{asset.title}</bdi>
    </span>
  </label>
);

export function Rows({ assets, url, choosable }: { assets: Asset[]; url: URL; choosable: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="wide-table" tabIndex={0} aria-label="Assets">
      <table>
        <thead>
          <tr>
            {choosable && (
              <th scope="col">
                <span class="unseen">Chosen</span>
              </th>
            )}
            {["Title", "Status", "Version", "Kind", "Size", "Project", "Made", "By"].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {assets.map((one) => (
            <tr key={one.id}>
              {choosable && <td class="choose">{one.status === "pending" && <Choice asset={one} />}</td>}
              <td class="title">
                <span>
                  <SmallThumb asset={one} kind={one.kind} />
                  <a href={deskOf(one, url)}>
                    <bdi>{one.title}</bdi>
                  </a>
                </span>
              </td>
              <td>
                <Status status={one.status} />
              </td>
              <td>{one.version}</td>
              <td>{one.kind}</td>
              <td>{bytes(one.size)}</td>
              <td>{one.project}</td>
              <td>{shortDay(one.created_at)}</td>
              <td>{one.created_by}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
