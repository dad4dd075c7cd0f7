# What `cmake --install` puts where, and the Debian package of the same files (CPack: the target
# `package`). Included by the CMakeLists.txt at the top.

include(GNUInstallDirs)

set(stator_packaging ${PROJECT_SOURCE_DIR}/server/packaging)
install(TARGETS stator RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${stator_packaging}/stator.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  ${PROJECT_SOURCE_DIR}/LICENSE ${stator_packaging}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${stator_packaging}/stator.bash RENAME stator
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# These ask that of bash.
install(FILES ${stator_packaging}/stator.zsh RENAME _stator
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${stator_packaging}/stator.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Units live in lib, whatever the folder of libraries is called.
install(FILES ${stator_packaging}/stator.service DESTINATION lib/systemd/system)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stator)
set(CPACK_PACKAGE_VENDOR Stator)
set(CPACK_PACKAGE_CONTACT "The authors of Stator <stator@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "local server that speaks DynamoDB's wire protocol")
set(CPACK_PACKAGE_DESCRIPTION "One small server that the official SDKs and the AWS CLI
take for DynamoDB: for development, tests and continuous
integration. It starts in milliseconds, keeps data in memory or in a folder,
and takes DynamoDB Local's command line too.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, awscli")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${stator_packaging}/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The libraries that the program is linked to; without dpkg-shlibdeps (dpkg-dev) the package would
# claim to need none, so there is none.
find_program(STATOR_SHLIBDEPS dpkg-shlibdeps)
if(STATOR_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  include(CPack)
endif()
