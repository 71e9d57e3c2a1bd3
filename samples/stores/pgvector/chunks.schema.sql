-- The table of the chunks.
create extension if not exists vector;

create table if not exists "chunks" (
  id text primary key,
  source text not null,
  index integer not null,
  start bigint not null,
  "end" bigint not null,
  tokens integer,
  context text,
  record jsonb,
  metadata jsonb not null,
  text text not null,
  embedding vector(3)
);
