# cadre_embed(<target> <header> <namespace> <variable> <file>...): compiles text files into a target, each as the
# string_view that <header> declares under <variable>. Done when the build is configured, and again when a file
# changes.
function(cadre_embed target header namespace)
  set(definitions "")
  while(ARGN)
    list(POP_FRONT ARGN variable file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    # A compiler need not take string literals of more than 64 KiB.
    string(APPEND definitions "const std::string_view ${variable} = R\"embedded(${text})embedded\";\n")
  endwhile()
  get_filename_component(name "${header}" NAME_WE)
  set(source "${CMAKE_BINARY_DIR}/embedded/${name}.cc")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
       "#include \"${header}\"\n\nnamespace ${namespace} {\n\n@definitions@\n}  // namespace ${namespace}\n")
  target_sources(${target} PRIVATE "${source}")
endfunction()
