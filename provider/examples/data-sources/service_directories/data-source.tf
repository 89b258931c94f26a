data "service_directories" "all" {}

output "directories" {
  value = [for directory in data.service_directories.all.items : directory.name]
}
