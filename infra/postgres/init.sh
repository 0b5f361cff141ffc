#!/bin/sh
# Run once by the official Postgres image on an empty data directory.
set -eu
secret() { cat "/run/secrets/$1"; }
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set solar_password="$(secret solar_database_password)" \
  --set wildfire_password="$(secret wildfire_database_password)" \
  --set vehicle_password="$(secret vehicle_database_password)" \
  --file /hearth/roles.sql
