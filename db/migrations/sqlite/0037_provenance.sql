-- how the file of an asset was made: as its upload says, and as the file says
create table provenance (
  asset text not null primary key,
  project text not null,
  stated text not null
)
