-- One row: the id of this deployment, and where the database was when the id was made. A copy of the database is elsewhere.
create table deployment (
  one integer not null primary key check (one = 1),
  id text not null,
  location text not null
);
--> statement-breakpoint
-- The path of a published URL in a local store: the site's own URL is put before it when it is read.
update assets set
  public_url = substr(public_url, strpos(public_url, '/media/' || project || '/' || id || '/')),
  wire = replace(wire, '"public_url":"' || public_url || '"',
    '"public_url":"' || substr(public_url, strpos(public_url, '/media/' || project || '/' || id || '/')) || '"')
where strpos(public_url, '/media/' || project || '/' || id || '/') > 1;
