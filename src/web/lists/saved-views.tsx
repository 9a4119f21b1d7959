/** The views that the visitor saved of a list: above the list, and the page that saves and removes one. */
import { listViews, removeView, saveView } from "../../overview/operations/views.ts";
import type { SavedView, SavedViews } from "../../overview/views/schema.ts";
import { MissingScope, PostForm, Submit } from "../layout.tsx";
import { callOperation, type Form, type Page, type View } from "../view.ts";

/** Lists with filters, by their path, and what they are called. */
const lists: Readonly<Record<string, string>> = {
  "/feed": "Feed",
  "/tasks": "Tasks",
  "/runs": "Runs",
  "/assets": "Assets",
  "/memory": "Memory",
  "/usage": "Usage",
};

export const viewParameters = ["of", "removed"] as const;

interface Listed {
  path: string;
  query: string;
}

/** The list that the page is about, at first that of another page. */
function listedIn(text: string | null | undefined): Listed {
  const [path = "", query = ""] = (text ?? "").split("?", 2);
  return Object.hasOwn(lists, path) ? { path, query } : { path: "/feed", query: "" };
}

const urlOf = ({ path, query }: Listed): string => (query ? `${path}?${query}` : path);

export async function viewsPage(view: View, refused?: { message: string; name: string }): Promise<Page> {
  const list = listedIn(view.url.searchParams.get("of"));
  const removed = view.url.searchParams.get("removed");
  const { views } = await callOperation<SavedViews>(view, listViews, { path: list.path });
  const body = (
    <div class="narrow">
      <h1>Saved views of {lists[list.path]}</h1>
      {removed && (
        <PostForm view={view} class="notice warning" action="/views">
          <input type="hidden" name="of" value={urlOf(list)} />
          <input type="hidden" name="name" value={removed} />
          Removed <bdi>{removed}</bdi>.{" "}
          <button type="submit" class="plain">
            Undo
          </button>
        </PostForm>
      )}
      {view.ctx.config.mock ? (
        <MissingScope view={view} scope="feed:read" to="save views" />
      ) : (
        !removed && <SaveForm view={view} list={list} refused={refused} />
      )}
      <ul class="view-list">
        {views.map((saved) => (
          <li key={saved.name}>
            <a href={urlOf(saved)}>
              <bdi>{saved.name}</bdi>
            </a>
            <PostForm view={view} action="/views/remove">
              <input type="hidden" name="of" value={urlOf(saved)} />
              <input type="hidden" name="name" value={saved.name} />
              <button type="submit" class="plain" aria-label={`Remove ${saved.name}`}>
                Remove
              </button>
            </PostForm>
          </li>
        ))}
      </ul>
      <p>
        <a class="button" href={urlOf(list)}>
          Back to {lists[list.path]}
        </a>
      </p>
    </div>
  );
  return { title: "Saved views", navEntry: null, body, status: refused ? 400 : 200 };
}

interface SaveFormProps {
  view: View;
  list: Listed;
  refused: { message: string; name: string } | undefined;
}

const SaveForm = ({ view, list, refused }: SaveFormProps) => (
  <PostForm view={view} class="stack" action="/views">
    <input type="hidden" name="of" value={urlOf(list)} />
    <label>
      Name of this view{" "}
      <input
        name="name"
        required
        maxLength={64}
        value={refused?.name}
        placeholder="Failures of codex"
        {...(refused && { "aria-invalid": "true", "aria-describedby": "name-error" })}
      />
    </label>
    {refused && (
      <p class="field-error" id="name-error">
        {refused.message}
      </p>
    )}
    <p class="soft">Only you see it, above the list, on every device where you sign in.</p>
    <Submit text="Save view" isPrimary />
  </PostForm>
);

/** @returns the list with the filters that were saved; after a 400 the page with the error */
export async function submitView(view: View, form: Form): Promise<string | Page> {
  const list = listedIn(form.get("of"));
  const name = form.get("name")?.trim() ?? "";
  if (name === "" || Buffer.byteLength(name) > 64) {
    const url = new URL(`/views?${new URLSearchParams({ of: urlOf(list) })}`, view.url);
    return viewsPage({ ...view, url }, { message: "Give it a name of at most 64 characters.", name });
  }
  await callOperation(view, saveView, { ...list, name, query: list.query });
  return urlOf(list);
}

/** @returns the page that can undo it */
export async function submitViewRemoval(view: View, form: Form): Promise<string> {
  const list = listedIn(form.get("of"));
  const name = form.get("name") ?? "";
  await callOperation(view, removeView, { path: list.path, name });
  return `/views?${new URLSearchParams({ of: urlOf(list), removed: name })}`;
}

/** The views that the visitor saved of a page; none of a page without filters. */
export async function loadSavedViews(view: View): Promise<SavedView[]> {
  const { visitor, url } = view;
  if (!visitor.signedIn || !Object.hasOwn(lists, url.pathname)) return [];
  return (await callOperation<SavedViews>(view, listViews, { path: url.pathname })).views;
}
